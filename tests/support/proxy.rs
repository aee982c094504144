//! A TCP proxy in front of PostgreSQL that cuts a connection at a chosen moment.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// When to cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// The message never reaches the server.
    BeforeTheServer,
    /// The server has acted on the message; its answer is lost.
    BeforeTheAnswer,
}

#[derive(Default)]
struct Plan {
    /// What the client must send, in this order, for the cut to come.
    armed: Option<(Vec<Vec<u8>>, Cut)>,
    cuts: usize,
    /// How often it was armed: what was sent before does not count.
    arms: usize,
    /// How often a client sent something; what it sends at once arrives at once.
    sent: usize,
    /// Cut when the client sends something for this many more times.
    countdown: Option<(usize, Cut)>,
    /// What the client sent when it was cut off last.
    last_cut: Vec<u8>,
    /// New connections are closed at once.
    refusing: bool,
    /// So many were.
    refused: usize,
    /// The next cut takes the server away altogether.
    away_after_cut: bool,
}

/// The proxy; it ends when this value is dropped.
pub struct Proxy {
    port: u16,
    plan: Arc<Mutex<Plan>>,
    all: watch::Sender<()>,
    listener: JoinHandle<()>,
}

impl Proxy {
    /// Starts one on a free port.
    pub async fn start(target: u16) -> Self {
        let socket = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let port = socket.local_addr().expect("bound").port();
        let plan = Arc::new(Mutex::new(Plan::default()));
        let shared = plan.clone();
        let all = watch::Sender::new(());
        let cuts = all.clone();
        let listener = tokio::spawn(async move {
            while let Ok((client, _)) = socket.accept().await {
                {
                    let mut plan = shared.lock().unwrap();
                    if plan.refusing {
                        plan.refused += 1;
                        continue;
                    }
                }
                let (plan, mut cut, all) = (shared.clone(), cuts.subscribe(), cuts.clone());
                tokio::spawn(async move {
                    if let Ok(server) = TcpStream::connect(("127.0.0.1", target)).await {
                        // An error of either side ends the connection, as it should.
                        tokio::select! {
                            _ = forward(client, server, &plan) => {
                                // A server that is away is so on every connection.
                                if plan.lock().unwrap().away_after_cut {
                                    all.send_replace(());
                                }
                            }
                            _ = cut.changed() => {}
                        }
                    }
                });
            }
        });
        Self { port, plan, all, listener }
    }

    /// The URL of a database through the proxy.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{database}?sslmode=disable", self.port)
    }

    /// Cuts the next connection on which the client sends `bytes`, once.
    pub fn arm(&self, bytes: &str, cut: Cut) {
        self.arm_in_order(&[bytes], cut);
    }

    /// Cuts the connection on which the client sends the last of these, after all before, once.
    pub fn arm_in_order(&self, steps: &[&str], cut: Cut) {
        let steps = steps.iter().map(|bytes| bytes.as_bytes().to_vec()).collect();
        let mut plan = self.plan.lock().unwrap();
        plan.armed = Some((steps, cut));
        plan.arms += 1;
    }

    /// Cuts the connection on which the client sends something for the `nth` time from now on, counted from
    /// one over all connections, once.
    pub fn arm_at(&self, nth: usize, cut: Cut) {
        let mut plan = self.plan.lock().unwrap();
        plan.countdown = Some((nth, cut));
        plan.last_cut.clear();
    }

    /// Takes back what was armed and did not happen; gives what the client sent at the cut that did.
    pub fn disarm(&self) -> Option<Vec<u8>> {
        let mut plan = self.plan.lock().unwrap();
        plan.refusing = false;
        plan.armed = None;
        plan.countdown.take().is_none().then(|| std::mem::take(&mut plan.last_cut))
    }

    /// Refuses new connections, or takes them again.
    pub fn refuse(&self, refusing: bool) {
        self.plan.lock().unwrap().refusing = refusing;
    }

    /// From the next cut on there is no server, until [`Proxy::come_back`].
    pub fn go_away_after_the_cut(&self) {
        self.plan.lock().unwrap().away_after_cut = true;
    }

    /// There is no server, until [`Proxy::come_back`].
    pub fn go_away(&self) {
        self.refuse(true);
        self.cut_all();
    }

    /// There is a server again.
    pub fn come_back(&self) {
        let mut plan = self.plan.lock().unwrap();
        (plan.refusing, plan.away_after_cut) = (false, false);
    }

    /// Cuts every connection, now.
    pub fn cut_all(&self) {
        self.all.send_replace(());
    }

    /// How often a client sent something so far: each time it waited for an answer, or could have.
    pub fn sent(&self) -> usize {
        self.plan.lock().unwrap().sent
    }

    /// How many connections were refused so far.
    pub fn refused(&self) -> usize {
        self.plan.lock().unwrap().refused
    }

    /// How many connections were cut so far.
    pub fn cuts(&self) -> usize {
        self.plan.lock().unwrap().cuts
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.listener.abort();
    }
}

async fn forward(mut client: TcpStream, mut server: TcpStream, plan: &Mutex<Plan>) -> std::io::Result<()> {
    let (mut asked, mut answered) = (vec![0; 65536], vec![0; 65536]);
    // The end of what was forwarded before: a message may arrive in pieces.
    let mut seen: Vec<u8> = Vec::new();
    let mut arms = 0;
    loop {
        tokio::select! {
            count = client.read(&mut asked) => {
                let count = count?;
                if count == 0 {
                    return Ok(());
                }
                {
                    let mut plan = plan.lock().unwrap();
                    plan.sent += 1;
                    if std::mem::replace(&mut arms, plan.arms) != plan.arms {
                        seen.clear();
                    }
                }
                seen.extend_from_slice(&asked[..count]);
                match count_down(plan, &asked[..count]).or_else(|| take_cut(plan, &seen)) {
                    Some(Cut::BeforeTheServer) => return Ok(()),
                    Some(Cut::BeforeTheAnswer) => {
                        server.write_all(&asked[..count]).await?;
                        // The answer proves that the server has acted; nobody else gets to see it.
                        let _answer = server.read(&mut answered).await?;
                        return Ok(());
                    }
                    None => server.write_all(&asked[..count]).await?,
                }
                let keep = seen.len().saturating_sub(64);
                seen.drain(..keep);
            }
            count = server.read(&mut answered) => {
                let count = count?;
                if count == 0 {
                    return Ok(());
                }
                client.write_all(&answered[..count]).await?;
            }
        }
    }
}

fn count_down(plan: &Mutex<Plan>, sent: &[u8]) -> Option<Cut> {
    let mut plan = plan.lock().unwrap();
    let (left, cut) = plan.countdown.as_mut()?;
    let cut = *cut;
    *left -= 1;
    if *left > 0 {
        return None;
    }
    plan.countdown = None;
    plan.last_cut = sent.to_vec();
    plan.cuts += 1;
    Some(cut)
}

fn take_cut(plan: &Mutex<Plan>, seen: &[u8]) -> Option<Cut> {
    let mut plan = plan.lock().unwrap();
    let (steps, cut) = plan.armed.as_mut()?;
    let cut = *cut;
    let next = steps.first()?;
    if !seen.windows(next.len()).any(|window| window == next.as_slice()) {
        return None;
    }
    steps.remove(0);
    if !steps.is_empty() {
        return None;
    }
    plan.armed = None;
    plan.cuts += 1;
    plan.refusing |= plan.away_after_cut;
    Some(cut)
}
