/**
 * A connection pooler that behaves like pgbouncer 1.21 and newer with `max_prepared_statements`. In transaction mode, the
 * client's PostgreSQL session goes back to the pool after every transaction, with everything that was set in it. Debian's
 * pgbouncer is older and doesn't support prepared statements in that mode.
 */
import type { Socket } from 'node:net'
import pg from 'pg'
import { onTestFinished } from 'vitest'
import { serveTcp } from './loopback-servers.ts'

const SSL_REQUEST = 80_877_103
const PARSE_OR_CLOSE_COMPLETE = /[13]/
/** There are fewer sessions than connections of a Belfry server, so every session serves several connections. */
const MAX_SESSIONS = 12

interface Message {
  type: string
  body: Buffer
}

/** A reply to Parse or Close that PostgreSQL still has to send. */
interface ExpectedReply {
  /** The pooler sent the request itself, so the client must not see the reply. */
  isHidden: boolean
  /** The statement that Parse prepares. */
  preparedName?: string
}

interface Session {
  socket: Socket
  preparedNames: Set<string>
  expectedReplies: ExpectedReply[]
  onMessage: (message: Message) => void
}

interface PooledClient {
  socket: Socket
  /** Name of a prepared statement → its text and parameter types. */
  statements: Map<string, Buffer>
  session: Session | undefined
  isInTransaction: boolean
}

/** In session mode, a client keeps its session. */
export type PoolMode = 'session' | 'transaction'

export interface TransactionPooler {
  port: number
  /** Clients release their sessions immediately, or at the end of their current transaction. */
  switchToTransactionMode(): void
}

export async function startTransactionPooler(
  connection: pg.ClientConfig,
  initialMode: PoolMode,
): Promise<TransactionPooler> {
  let mode = initialMode
  const clients = new Set<PooledClient>()
  const idleSessions: Session[] = []
  const waitingClients: ((session: Session) => void)[] = []
  const sessionSockets = new Set<Socket>()
  onTestFinished(() => {
    for (const socket of sessionSockets) socket.destroy()
  })

  const { port } = await serveTcp((socket) => void serveClient(socket), '127.0.0.1')

  async function openSession(): Promise<Session> {
    const client = new pg.Client(connection)
    client.on('error', () => {})
    await client.connect()
    // Set the search path of every session, as `connect_query` of pgbouncer does. The path that Belfry sets when it
    // connects reaches only one of the sessions.
    await client.query('set search_path = belfry, public')
    const socket = (client as pg.Client & { connection: { stream: Socket } }).connection.stream
    socket.removeAllListeners('data')
    sessionSockets.add(socket)
    socket.on('close', () => sessionSockets.delete(socket))
    const session: Session = { socket, preparedNames: new Set(), expectedReplies: [], onMessage: () => {} }
    readMessages(socket, (message) => session.onMessage(message))
    return session
  }

  async function acquireSession(): Promise<Session> {
    const [idleSession] = idleSessions.splice(Math.floor(Math.random() * idleSessions.length), 1)
    if (idleSession !== undefined) return idleSession
    if (sessionSockets.size < MAX_SESSIONS || mode === 'session') return openSession()
    return new Promise((resolve) => waitingClients.push(resolve))
  }

  function releaseIfIdle(client: PooledClient): void {
    const { session } = client
    if (session === undefined || client.isInTransaction) return
    client.session = undefined
    const nextClient = waitingClients.shift()
    if (nextClient === undefined) idleSessions.push(session)
    else nextClient(session)
  }

  async function serveClient(socket: Socket): Promise<void> {
    const client: PooledClient = { socket, statements: new Map(), session: undefined, isInTransaction: false }
    clients.add(client)
    socket.setNoDelay(true)
    let batch: Message[] = []
    let isOpen = true
    let lastBatch = Promise.resolve()
    socket.on('close', () => {
      isOpen = false
      clients.delete(client)
      void lastBatch.then(() => client.session?.socket.destroy())
    })
    await acceptStartup(socket)
    readMessages(socket, (message) => {
      if (message.type === 'X') return
      batch.push(message)
      if (message.type !== 'S' && message.type !== 'Q') return
      const completeBatch = batch
      batch = []
      lastBatch = lastBatch.then(async () => {
        if (isOpen) await runBatch(client, completeBatch)
      })
    })
  }

  /** Sends the messages up to a Sync, and passes on the replies until PostgreSQL is ready for the next ones. */
  async function runBatch(client: PooledClient, messages: Message[]): Promise<void> {
    client.session ??= await acquireSession()
    client.isInTransaction = true
    const { session } = client
    const transactionStatus = await new Promise<string>((resolve) => {
      session.onMessage = (message) => {
        if (message.type === 'E') forgetUnpreparedNames(session)
        if (PARSE_OR_CLOSE_COMPLETE.test(message.type) && session.expectedReplies.shift()?.isHidden) return
        client.socket.write(encode(message))
        if (message.type === 'Z') resolve(message.body.toString('latin1', 0, 1))
      }
      session.socket.write(
        Buffer.concat(messages.flatMap((message) => translate(client, session, message).map(encode))),
      )
    })
    client.isInTransaction = transactionStatus !== 'I'
    if (mode === 'transaction') releaseIfIdle(client)
  }

  return {
    port,
    switchToTransactionMode: () => {
      mode = 'transaction'
      for (const client of clients) releaseIfIdle(client)
    },
  }
}

/**
 * Replaces the client's names of prepared statements with names that all clients share, and prepares what the session
 * lacks.
 */
function translate(client: PooledClient, session: Session, message: Message): Message[] {
  const { type, body } = message
  if (type === 'P') {
    const [name, rest] = splitAtNull(body)
    client.statements.set(name.toString(), rest)
    session.expectedReplies.push({ isHidden: true })
    return [{ type: 'C', body: statementTarget(sharedName(rest)) }, parseMessage(session, rest, false)]
  }
  if (type === 'B') {
    const [portal, afterPortal] = splitAtNull(body)
    const [name, rest] = splitAtNull(afterPortal)
    const statement = client.statements.get(name.toString()) as Buffer
    const bind = Buffer.concat([portal, Buffer.of(0), sharedName(statement), Buffer.of(0), rest])
    return [...prepareMissing(session, statement), { type, body: bind }]
  }
  if (type === 'D' && body[0] === 'S'.charCodeAt(0)) {
    const statement = client.statements.get(body.toString('utf8', 1, body.length - 1)) as Buffer
    return [...prepareMissing(session, statement), { type, body: statementTarget(sharedName(statement)) }]
  }
  return [message]
}

function prepareMissing(session: Session, statement: Buffer): Message[] {
  return session.preparedNames.has(sharedName(statement).toString()) ? [] : [parseMessage(session, statement, true)]
}

function parseMessage(session: Session, statement: Buffer, isHidden: boolean): Message {
  const name = sharedName(statement)
  session.preparedNames.add(name.toString())
  session.expectedReplies.push({ isHidden, preparedName: name.toString() })
  return { type: 'P', body: Buffer.concat([name, Buffer.of(0), statement]) }
}

/** After an error, PostgreSQL skips the rest of the batch, so it doesn't prepare these statements. */
function forgetUnpreparedNames(session: Session): void {
  for (const { preparedName } of session.expectedReplies) session.preparedNames.delete(preparedName ?? '')
  session.expectedReplies = []
}

const sharedNames = new Map<string, Buffer>()

function sharedName(statement: Buffer): Buffer {
  const text = statement.toString('latin1')
  const name = sharedNames.get(text) ?? Buffer.from(`pooled_${sharedNames.size}`)
  sharedNames.set(text, name)
  return name
}

function statementTarget(name: Buffer): Buffer {
  return Buffer.concat([Buffer.from('S'), name, Buffer.of(0)])
}

function splitAtNull(buffer: Buffer): [Buffer, Buffer] {
  const end = buffer.indexOf(0)
  return [buffer.subarray(0, end), buffer.subarray(end + 1)]
}

function encode({ type, body }: Message): Buffer {
  const header = Buffer.alloc(5)
  header.write(type, 'latin1')
  header.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([header, body])
}

/** Answers the client's first message as PostgreSQL does without a password, with a process id of the pooler's own. */
async function acceptStartup(socket: Socket): Promise<void> {
  const startup = await new Promise<Buffer>((resolve) => socket.once('data', resolve))
  if (startup.readInt32BE(4) === SSL_REQUEST) {
    socket.write('N')
    return acceptStartup(socket)
  }
  const processId = Buffer.alloc(8, 1)
  socket.write(
    Buffer.concat([
      encode({ type: 'R', body: Buffer.alloc(4) }),
      encode({ type: 'K', body: processId }),
      encode({ type: 'Z', body: Buffer.from('I') }),
    ]),
  )
}

function readMessages(socket: Socket, onMessage: (message: Message) => void): void {
  let receivedBytes = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    receivedBytes = Buffer.concat([receivedBytes, chunk])
    while (receivedBytes.length >= 5 && receivedBytes.length > receivedBytes.readInt32BE(1)) {
      const end = receivedBytes.readInt32BE(1) + 1
      onMessage({ type: receivedBytes.toString('latin1', 0, 1), body: receivedBytes.subarray(5, end) })
      receivedBytes = receivedBytes.subarray(end)
    }
  })
}
