# Runs one PostgreSQL server for a test process, and cleans up after that process however it ends:
# standard input is a pipe whose other end only the test process holds, and the pipe's end is the
# signal, also after a kill -9.
#
#   sh supervise.sh FOLDER BINARIES PORT
#
# Commands on standard input: "start", answered by "ok" once the server was launched, and "standby PORT",
# answered by "ok" once a standby of it was.
dir=$1 bin=$2 port=$3
trap '' INT TERM HUP

# The server refuses to run as root.
as() {
    if [ "$(id -u)" -ne 0 ]; then
        "$@"
    elif command -v setpriv >/dev/null; then
        setpriv --reuid=postgres --regid=postgres --init-groups "$@"
    else
        runuser -u postgres -- "$@"
    fi
}

start() {
    as "$bin/postgres" -D "$dir/data" -p "$port" -k "$dir" >>"$dir/log" 2>&1 </dev/null &
}

# A standby of the running server, beside it.
standby() {
    as "$bin/pg_basebackup" -D "$dir/standby" -h "$dir" -p "$port" -U postgres -R -X stream -c fast \
        >>"$dir/log" 2>&1 &&
        { as "$bin/postgres" -D "$dir/standby" -p "$1" -k "$dir" >>"$dir/standby.log" 2>&1 </dev/null & }
}

stop() {
    server=$(head -n 1 "$1/postmaster.pid" 2>/dev/null)
    [ -n "$server" ] || return
    kill -QUIT "$server" 2>/dev/null
    tries=0
    while kill -0 "$server" 2>/dev/null && [ $tries -lt 200 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
    kill -KILL "$server" 2>/dev/null
}

cleanup() {
    stop "$dir/standby"
    stop "$dir/data"
    rm -rf "$dir"
}

mkdir -m 711 "$dir" || exit 1
mkdir -m 700 "$dir/data"
[ "$(id -u)" -ne 0 ] || chown postgres "$dir" "$dir/data"

# A locale with a linguistic order, where there is one: the tables must compare bytes all the same.
init() { as "$bin/initdb" -D "$dir/data" -U postgres -A trust -E UTF8 --no-sync "$@" >"$dir/init.log" 2>&1; }
init --locale-provider=icu --icu-locale=en-US --locale=C.UTF-8 ||
    { rm -rf "$dir/data"/*; init --locale=C.UTF-8; } ||
    { cat "$dir/init.log"; cleanup; exit 1; }

cat >>"$dir/data/postgresql.conf" <<CONF
listen_addresses = '127.0.0.1'
max_connections = 400
shared_buffers = 64MB
# What is tested dies with processes, never with the power supply.
fsync = off
full_page_writes = off
max_prepared_transactions = 0
log_line_prefix = '%m [%p] %d '
CONF
cat >"$dir/data/pg_hba.conf" <<CONF
local all all trust
local replication all trust
host all with_password 127.0.0.1/32 scram-sha-256
host all all 127.0.0.1/32 trust
CONF

echo ok
while read -r command; do
    case $command in
        start) start && echo ok ;;
        standby*) standby "${command#standby }" && echo ok ;;
    esac
done
cleanup
