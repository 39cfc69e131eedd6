/**
 * The baseline for `checks --mix`: what the same checks do on the network, without anything else. Prints the CPU time per check,
 * including that of the ping processes.
 */
import { spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { connect } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { findPingCommand } from '../../src/checker/probes/ping/commands.ts'
import { readCpuTimeMs } from './processes.ts'
import { measurePaced } from './run-paced.ts'

const [port = 0, count = 0, perSecond = 1] = process.argv.slice(2).map(Number)
const host = '127.0.0.1'
const getRequest = `GET / HTTP/1.1\r\nhost: ${host}:${port}\r\nconnection: close\r\n\r\n`
/** A query for the A record of example.com. */
const dnsQuery = Buffer.from('abcd01000001000000000000076578616d706c6503636f6d0000010001', 'hex')

const sendOverTcp = (text: string) =>
  new Promise<void>((resolve, reject) => {
    const socket = connect(port, host, () => socket.write(text))
    socket.on('data', () => {})
    socket.on('close', () => resolve())
    socket.on('error', reject)
  })

const lookUp = () =>
  new Promise<void>((resolve) => {
    const socket = createSocket('udp4')
    socket.once('message', () => socket.close(() => resolve()))
    socket.send(dnsQuery, port, host)
  })

const shakeHands = () =>
  new Promise<void>((resolve, reject) => {
    const socket = connectTls({ port: port + 1, host, rejectUnauthorized: false }, () => socket.destroy())
    socket.on('close', () => resolve())
    socket.on('error', reject)
  })

const pingCommand = await findPingCommand(undefined)

/** Runs one ping process. */
async function startPing(): Promise<void> {
  if ('unavailable' in pingCommand) return
  const args = pingCommand.command === 'fping' ? ['-C', '3', '-q', '-p', '20', host] : ['-q', '-c', '1', host]
  await new Promise((resolve, reject) =>
    spawn(pingCommand.file, args, { stdio: 'ignore' }).on('close', resolve).on('error', reject),
  )
}

/**
 * What each of 270 successive checks does. Of 90 checks that start, two are of heartbeats, which do nothing on the network: heartbeats are
 * checked less often than other monitors. Domains are checked so rarely that they are missing here.
 */
const operations = Array.from({ length: 3 }, (_, round) => [
  ...Array.from({ length: 60 }, () => () => sendOverTcp(getRequest)),
  ...Array.from({ length: 13 }, () => () => sendOverTcp('GET / HTTP/1.0\r\n\r\n')),
  ...Array.from({ length: 13 }, () => lookUp),
  shakeHands,
  // A process pings all addresses that arrive within 250 ms. Of 1,000 checks a second, these are two or three.
  round === 0 ? startPing : async () => {},
  ...Array.from({ length: 2 }, () => async () => {}),
]).flat()

console.log(
  await measurePaced(
    { count, perSecond },
    async (index) => operations[index % operations.length]?.(),
    () => readCpuTimeMs([process.pid]),
  ),
)
