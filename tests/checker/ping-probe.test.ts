/** Pings this machine with the installed ping commands, and with scripts that replace them. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { findPingCommand, type PingCommand } from '../../src/checker/probes/ping/commands.ts'
import { openPingProbe } from '../../src/checker/probes/ping/probe.ts'
import { checkPing } from '../../src/cli/doctor/machine.ts'
import { Guard } from '../../src/outgoing/guard.ts'
import { NO_PRIVATE_TARGETS } from '../../src/outgoing/private-targets.ts'
import { createPermissiveGuard } from './probe-support.ts'

/** Creates a folder of shell scripts. The keys of `commands` are the file names, the values are the scripts. */
function createCommands(commands: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'belfry-ping-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [name, script] of Object.entries(commands)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(folder, name), 0o755)
  }
  return folder
}

/** Creates a folder with only this installed command. Returns undefined if the command does not work. */
async function linkSystemCommand(command: PingCommand['command']): Promise<string | undefined> {
  for (const binFolder of ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin', '/usr/local/sbin']) {
    const folder = createCommands({})
    symlinkSync(join(binFolder, command), join(folder, command))
    if ('command' in (await findPingCommand(folder))) return folder
  }
  return undefined
}

function createProbe(path: string, guard = createPermissiveGuard()) {
  const probe = openPingProbe({ guard, path })
  onTestFinished(() => probe.close())
  return {
    ...probe,
    ping: (url: string, timeoutMs = 10_000, teamId = 1) => probe.check({ type: 'ping', url, teamId, timeoutMs }),
  }
}

describe.each(['fping', 'ping'] as const)('with %s, a ping', (command) => {
  it('gets a reply from a reachable host', async ({ skip }) => {
    const folder = (await linkSystemCommand(command)) ?? skip(`${command} does not work here`)
    const { ping } = createProbe(folder)
    const expectedResult = {
      failure: null,
      note: null,
      responseMs: expect.any(Number),
      timings: { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null },
      httpStatus: null,
      expiresAt: null,
      packetLoss: 0,
      responded: true,
    }
    expect(await Promise.all([ping('127.0.0.1'), ping('127.0.0.2'), ping('127.0.0.1'), ping('::1')])).toEqual([
      { ...expectedResult, address: '127.0.0.1' },
      { ...expectedResult, address: '127.0.0.2' },
      { ...expectedResult, address: '127.0.0.1' },
      { ...expectedResult, address: '::1' },
    ])
    expect(await ping('127.0.0.1', 2_000)).toEqual({ ...expectedResult, address: '127.0.0.1' })
  })

  it('runs together with many other pings', async ({ skip }) => {
    const folder = (await linkSystemCommand(command)) ?? skip(`${command} does not work here`)
    const { ping } = createProbe(folder)
    const hosts = Array.from({ length: 60 }, (_, index) => `127.0.1.${index + 1}`)
    const results = await Promise.all(hosts.map((host) => ping(host)))
    expect(results.map((result) => 'address' in result && result.responded && result.address)).toEqual(hosts)
  })
})

/**
 * Belfry tries a command on 127.0.0.1 before it uses it, so the script always replies for 127.0.0.1. For other hosts it
 * runs `commandForOtherHosts`.
 */
const createFpingScript = (commandForOtherHosts: string) =>
  `case "$*" in *" 127.0.0.1") echo '127.0.0.1 : 0.1' >&2 ;; *) ${commandForOtherHosts} ;; esac`

describe('a host', () => {
  it('is down if it does not reply, and up if it replies once', async () => {
    const path = createCommands({
      fping: createFpingScript(`echo '127.0.0.7 : - - -' >&2; echo '127.0.0.8 : - 20.4 21' >&2; exit 1`),
    })
    const { ping } = createProbe(path)
    const [silentResult, lossyResult] = await Promise.all([ping('127.0.0.7'), ping('127.0.0.8')])
    expect(silentResult).toMatchObject({
      failure: { cause: 'ping', detail: 'No reply from 127.0.0.7 to 3 pings' },
      responseMs: null,
      packetLoss: 100,
      address: '127.0.0.7',
      responded: false,
    })
    expect(lossyResult).toMatchObject({ failure: null, responseMs: 21, packetLoss: 33, responded: true })
  })

  it('is pinged at its first address, never by its name', async () => {
    const path = createCommands({
      fping: createFpingScript(`echo "$@" > "$(dirname "$0")/arguments"; echo '127.0.0.7 : 1 1 1' >&2`),
    })
    const guard = createPermissiveGuard(async () => [
      { address: '127.0.0.7', family: 4 },
      { address: '::1', family: 6 },
    ])
    expect(await createProbe(path, guard).ping('shop.test')).toMatchObject({
      failure: null,
      address: '127.0.0.7',
      timings: { dnsMs: expect.any(Number) },
    })
    expect(readFileSync(join(path, 'arguments'), 'utf8')).toBe('-C 3 -q -B 1 -r 0 -i 1 -p 500 -t 3000 127.0.0.7\n')
  })

  it('is down if ping reports that the network is unreachable', async () => {
    const path = createCommands({
      ping: `case "$*" in *" 127.0.0.1") echo '1 packets transmitted, 1 received' ;; *) echo 'ping: connect: Network is unreachable' >&2; exit 2 ;; esac`,
    })
    expect(await createProbe(path).ping('127.0.0.7')).toMatchObject({
      failure: { cause: 'ping', detail: 'No reply from 127.0.0.7 to 3 pings' },
    })
  })

  it('is down if its name does not exist, its lookup times out, or its address is private', async () => {
    const path = createCommands({ fping: createFpingScript('exit 1') })
    const unknownHostGuard = createPermissiveGuard(() =>
      Promise.reject(Object.assign(new Error(), { code: 'ENOTFOUND', syscall: 'queryA' })),
    )
    expect(await createProbe(path, unknownHostGuard).ping('gone.test')).toMatchObject({
      failure: { cause: 'dns', detail: 'No such host: gone.test' },
      packetLoss: null,
    })
    const silentLookupGuard = createPermissiveGuard(() => new Promise(() => {}))
    expect(await createProbe(path, silentLookupGuard).ping('slow.test', 1_000)).toMatchObject({
      failure: { cause: 'dns', detail: 'DNS lookup of slow.test took longer than 1 s' },
    })
    expect(await createProbe(path, new Guard(NO_PRIVATE_TARGETS)).ping('127.0.0.1')).toMatchObject({
      failure: { cause: 'blocked', detail: expect.stringContaining('BELFRY_PRIVATE_TARGETS') },
    })
  })
})

describe('the ping probe', () => {
  const forbiddenFping = { fping: `echo "$0: can't create socket (must run as root?)" >&2; exit 4` }
  const forbiddenPing = { ping: `echo 'ping: socket: Operation not permitted' >&2; exit 2` }

  it('reports that the server cannot ping, instead of a failure of the host', async () => {
    expect(await createProbe(createCommands({})).ping('127.0.0.1')).toEqual({
      unsupported: "The Belfry server can't ping: neither fping nor ping is installed. Install fping.",
    })
    expect(await createProbe(createCommands({ ...forbiddenFping, ...forbiddenPing })).ping('127.0.0.1')).toEqual({
      unsupported: expect.stringMatching(
        /^The Belfry server can't ping: .*fping does not work \(can't create socket .*\), .*ping does not work \(socket: Operation not permitted\)\. .*cap_net_raw/,
      ),
    })
  })

  it('uses ping if fping lacks the privilege', async () => {
    const path = createCommands({ ...forbiddenFping, ping: `echo '3 packets transmitted, 3 received'` })
    expect(await findPingCommand(path)).toEqual({ command: 'ping', file: join(path, 'ping') })
  })

  it('uses ping if fping gets no reply from this machine', async () => {
    const deafFping = { fping: `printf '\\n127.0.0.1 : -\\n' >&2; exit 1` }
    const path = createCommands({ ...deafFping, ping: `echo '1 packets transmitted, 1 received'` })
    expect(await findPingCommand(path)).toEqual({ command: 'ping', file: join(path, 'ping') })
    expect(await createProbe(createCommands(deafFping)).ping('127.0.0.1')).toEqual({
      unsupported: expect.stringMatching(/fping does not work \(no reply from 127\.0\.0\.1\)/),
    })
  })

  it('is inconclusive if the command worked before and now fails', async () => {
    const path = createCommands({ fping: createFpingScript(`echo 'fping: out of sockets' >&2; exit 4`) })
    expect(await createProbe(path).ping('127.0.0.7')).toEqual({
      inconclusive: "The Belfry server can't ping: fping reports: out of sockets",
    })
    const silentPath = createCommands({ fping: createFpingScript('exit 0') })
    expect(await createProbe(silentPath).ping('127.0.0.7')).toEqual({
      inconclusive: "The Belfry server can't ping: fping reports: no output",
    })
  })

  it('kills a command that hangs, and is inconclusive', async () => {
    const path = createCommands({ fping: createFpingScript('exec sleep 100') })
    expect(await createProbe(path).ping('127.0.0.7', 1_000)).toEqual({
      inconclusive: 'The Belfry server was too busy to ping in time',
    })
  })

  it('accepts the result of fping even if it comes after the timeout, because fping itself stops waiting in time', async () => {
    const lines = `echo '127.0.0.7 : - - -' >&2; echo '127.0.0.8 : 0.1 0.1 0.1' >&2`
    const { ping } = createProbe(createCommands({ fping: createFpingScript(`sleep 1.2; ${lines}; exit 1`) }))
    const [silentResult, liveResult] = await Promise.all([ping('127.0.0.7', 1_000), ping('127.0.0.8', 1_000)])
    expect(silentResult).toMatchObject({ failure: { cause: 'ping', detail: 'No reply from 127.0.0.7 to 3 pings' } })
    expect(liveResult).toMatchObject({ failure: null, responded: true })
  })

  it('pings for a shorter time if it had to wait for other ping processes', async () => {
    const ping = `case "$*" in
      *" 127.0.0.1") echo '1 packets transmitted, 1 received' ;;
      *" 127.0.1."*) sleep 0.7; echo '3 packets transmitted, 0 received' ;;
      *) echo "$@" > "$(dirname "$0")/arguments"; echo '3 packets transmitted, 3 received' ;;
    esac`
    const path = createCommands({ ping })
    const probe = createProbe(path)
    // One user can have 24 of the 30 processes.
    const otherPings = Array.from({ length: 24 }, (_, n) => probe.ping(`127.0.1.${n + 1}`, 10_000))
    expect(await probe.ping('127.0.0.7', 5_000)).toMatchObject({ failure: null })
    // If the probe had not waited, 5 s would be left, and the interval would be 0.5 s. How much time is left depends on
    // the load of the machine.
    expect(readFileSync(join(path, 'arguments'), 'utf8')).toMatch(/^-q -c 3 -i 0\.[124] -W 1 127\.0\.0\.7\n$/)
    await Promise.all(otherPings)
  })

  it('starts immediately although another user has more hanging pings than there are processes', async () => {
    const ping = `case "$*" in
      *" 127.0.0.1") echo '1 packets transmitted, 1 received' ;;
      *" 127.0.1."*) exec sleep 100 ;;
      *) echo '3 packets transmitted, 3 received' ;;
    esac`
    const probe = createProbe(createCommands({ ping }))
    const hangingPings = Array.from({ length: 100 }, (_, n) => probe.ping(`127.0.1.${n + 1}`, 60_000))
    expect(await probe.ping('127.0.0.7', 5_000, 2)).toMatchObject({ failure: null })
    probe.close()
    await Promise.all(hangingPings)
  })

  it('reports no reply if ping still waits for a reply at the timeout', async () => {
    const ping = 'case "$*" in *" 127.0.0.1") echo "1 packets transmitted, 1 received" ;; *) exec sleep 100 ;; esac'
    expect(await createProbe(createCommands({ ping })).ping('127.0.0.7', 1_000)).toMatchObject({
      failure: { cause: 'ping', detail: expect.stringContaining('No reply from 127.0.0.7') },
    })
  })

  it('ends running checks when the server stops', async () => {
    const path = createCommands({ fping: createFpingScript('touch "$(dirname "$0")/started"; exec sleep 100') })
    const probe = createProbe(path)
    const result = probe.ping('127.0.0.7', 60_000)
    await expect.poll(() => readFileSync(join(path, 'started'), 'utf8')).toBe('')
    probe.close()
    expect(await result).toEqual({ inconclusive: 'The Belfry server stopped during the check' })
  })

  it('causes a warning of `belfry doctor` if no ping command is installed', async () => {
    expect(await checkPing(createCommands({}))).toEqual([
      {
        kind: 'warning',
        text: expect.stringMatching(/^Ping monitors: don't work, because neither .* Install fping\.$/),
      },
    ])
    expect(await checkPing(createCommands({ fping: createFpingScript('exit 0') }))).toEqual([
      { kind: 'ok', text: 'Ping monitors: use fping.' },
    ])
  })
})
