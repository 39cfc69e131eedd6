/** Against this machine itself, with the commands that it has, and with some that it has not. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { findPing, type PingCommand } from '../../src/checker/probes/ping/commands.ts'
import { pingProbe } from '../../src/checker/probes/ping.ts'
import { checkPing } from '../../src/cli/doctor/checks.ts'
import { Guard } from '../../src/outgoing/guard.ts'
import { none } from '../../src/outgoing/private-targets.ts'
import { everywhere } from './probe-support.ts'

/** A folder of its own for commands: the name of each with the script that it is. */
function folderOf(commands: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'belfry-ping-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [name, script] of Object.entries(commands)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(folder, name), 0o755)
  }
  return folder
}

/** A folder with the machine's own command alone; undefined where it has none that works. */
async function folderWith(command: PingCommand['command']): Promise<string | undefined> {
  for (const place of ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin', '/usr/local/sbin']) {
    const folder = folderOf({})
    symlinkSync(join(place, command), join(folder, command))
    if ('command' in (await findPing(folder))) return folder
  }
  return undefined
}

function probeWith(path: string, guard = everywhere()) {
  const probe = pingProbe({ guard, path })
  onTestFinished(() => probe.close())
  return {
    ...probe,
    ping: (url: string, timeoutMs = 10_000) => probe.check({ type: 'ping', url, timeoutMs, http: null }),
  }
}

describe.each(['fping', 'ping'] as const)('with %s, a ping', (command) => {
  it('gets a reply from a host that is there', async ({ skip }) => {
    const folder = (await folderWith(command)) ?? skip(`${command} does not work here`)
    const { ping } = probeWith(folder)
    const finding = {
      failure: null,
      responseMs: expect.any(Number),
      timings: { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null },
      httpStatus: null,
      tlsExpiresAt: null,
      packetLoss: 0,
      answered: true,
    }
    expect(await Promise.all([ping('127.0.0.1'), ping('127.0.0.2'), ping('127.0.0.1'), ping('::1')])).toEqual([
      { ...finding, address: '127.0.0.1' },
      { ...finding, address: '127.0.0.2' },
      { ...finding, address: '127.0.0.1' },
      { ...finding, address: '::1' },
    ])
    expect(await ping('127.0.0.1', 2_000)).toEqual({ ...finding, address: '127.0.0.1' })
  })

  it('is one of many', async ({ skip }) => {
    const folder = (await folderWith(command)) ?? skip(`${command} does not work here`)
    const { ping } = probeWith(folder)
    const hosts = Array.from({ length: 60 }, (_, place) => `127.0.1.${place + 1}`)
    const findings = await Promise.all(hosts.map((host) => ping(host)))
    expect(findings.map((finding) => 'address' in finding && finding.answered && finding.address)).toEqual(hosts)
  })
})

const fping = (lines: string) => `case "$*" in *" 127.0.0.1") echo '127.0.0.1 : 0.1' >&2 ;; *) ${lines} ;; esac`

describe('a host', () => {
  it('is down when it does not reply, and up when it replies once', async () => {
    const path = folderOf({
      fping: fping(`echo '127.0.0.7 : - - -' >&2; echo '127.0.0.8 : - 20.4 21' >&2; exit 1`),
    })
    const { ping } = probeWith(path)
    const [silent, lossy] = await Promise.all([ping('127.0.0.7'), ping('127.0.0.8')])
    expect(silent).toMatchObject({
      failure: { cause: 'ping', detail: 'no reply from 127.0.0.7 to 3 pings' },
      responseMs: null,
      packetLoss: 100,
      address: '127.0.0.7',
      answered: false,
    })
    expect(lossy).toMatchObject({ failure: null, responseMs: 21, packetLoss: 33, answered: true })
  })

  it('is pinged by its first address, and by nothing but addresses', async () => {
    const path = folderOf({ fping: fping(`echo "$@" > "$(dirname "$0")/asked"; echo '127.0.0.7 : 1 1 1' >&2`) })
    const guard = everywhere(async () => [
      { address: '127.0.0.7', family: 4 },
      { address: '::1', family: 6 },
    ])
    expect(await probeWith(path, guard).ping('shop.test')).toMatchObject({
      failure: null,
      address: '127.0.0.7',
      timings: { dnsMs: expect.any(Number) },
    })
    expect(readFileSync(join(path, 'asked'), 'utf8')).toBe('-C 3 -q -B 1 -r 0 -i 1 -p 500 -t 3000 127.0.0.7\n')
  })

  it('that ping finds no way to is down', async () => {
    const path = folderOf({
      ping: `case "$*" in *" 127.0.0.1") echo '1 packets transmitted, 1 received' ;; *) echo 'ping: connect: Network is unreachable' >&2; exit 2 ;; esac`,
    })
    expect(await probeWith(path).ping('127.0.0.7')).toMatchObject({
      failure: { cause: 'ping', detail: 'no reply from 127.0.0.7 to 3 pings' },
    })
  })

  it('may not exist, not be found out, or not be public', async () => {
    const path = folderOf({ fping: fping('exit 1') })
    const unknown = everywhere(() =>
      Promise.reject(Object.assign(new Error(), { code: 'ENOTFOUND', syscall: 'queryA' })),
    )
    expect(await probeWith(path, unknown).ping('gone.test')).toMatchObject({
      failure: { cause: 'dns', detail: 'no such host: gone.test' },
      packetLoss: null,
    })
    const silent = everywhere(() => new Promise(() => {}))
    expect(await probeWith(path, silent).ping('slow.test', 1_000)).toMatchObject({
      failure: { cause: 'dns', detail: 'the name slow.test could not be looked up within 1 s' },
    })
    expect(await probeWith(path, new Guard(none)).ping('127.0.0.1')).toMatchObject({
      failure: { cause: 'blocked', detail: expect.stringContaining('BELFRY_PRIVATE_TARGETS') },
    })
  })
})

describe('a machine that cannot ping', () => {
  const forbidden = { fping: `echo "$0: can't create socket (must run as root?)" >&2; exit 4` }
  const alsoForbidden = { ping: `echo 'ping: socket: Operation not permitted' >&2; exit 2` }

  it('says so, of itself and not of the host', async () => {
    expect(await probeWith(folderOf({})).ping('127.0.0.1')).toEqual({
      unable: 'This server cannot ping: neither fping nor ping is installed. Install fping.',
    })
    expect(await probeWith(folderOf({ ...forbidden, ...alsoForbidden })).ping('127.0.0.1')).toEqual({
      unable: expect.stringMatching(
        /^This server cannot ping: .*fping does not work \(can't create socket .*\), .*ping does not work \(socket: Operation not permitted\)\. .*cap_net_raw/,
      ),
    })
  })

  it('takes ping where fping may not', async () => {
    const path = folderOf({ ...forbidden, ping: `echo '3 packets transmitted, 3 received'` })
    expect(await findPing(path)).toEqual({ command: 'ping', file: join(path, 'ping') })
  })

  it('says so too where it could a moment ago', async () => {
    const path = folderOf({ fping: fping(`echo 'fping: out of sockets' >&2; exit 4`) })
    expect(await probeWith(path).ping('127.0.0.7')).toEqual({
      unknown: 'This server cannot ping: fping says: out of sockets',
    })
    const gone = folderOf({ fping: fping('exit 0') })
    expect(await probeWith(gone).ping('127.0.0.7')).toEqual({ unknown: 'This server cannot ping: fping says: nothing' })
  })

  it('ends what hangs, and calls nobody down for it', async () => {
    const path = folderOf({ fping: fping('exec sleep 100') })
    expect(await probeWith(path).ping('127.0.0.7', 1_000)).toEqual({
      unknown: 'This server was too busy to ping in time',
    })
  })

  it('has no reply where ping still waits for one when the time is over', async () => {
    const ping = 'case "$*" in *" 127.0.0.1") echo "1 packets transmitted, 1 received" ;; *) exec sleep 100 ;; esac'
    expect(await probeWith(folderOf({ ping })).ping('127.0.0.7', 1_000)).toMatchObject({
      failure: { cause: 'ping', detail: expect.stringContaining('no reply from 127.0.0.7') },
    })
  })

  it('stops at once when the server does', async () => {
    const path = folderOf({ fping: fping('touch "$(dirname "$0")/started"; exec sleep 100') })
    const probe = probeWith(path)
    const finding = probe.ping('127.0.0.7', 60_000)
    await expect.poll(() => readFileSync(join(path, 'started'), 'utf8')).toBe('')
    probe.close()
    expect(await finding).toEqual({ unknown: 'This server was stopped during the check' })
  })

  it('hears from doctor what to do about it', async () => {
    expect(await checkPing(folderOf({}))).toEqual([
      { kind: 'advice', text: expect.stringMatching(/^Hosts cannot be pinged: neither .* Install fping\.$/) },
    ])
    expect(await checkPing(folderOf({ fping: fping('exit 0') }))).toEqual([
      { kind: 'ok', text: 'Hosts can be pinged, with fping.' },
    ])
  })
})
