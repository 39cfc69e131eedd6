import { describe, expect, it } from 'vitest'
import { runCommand } from './commands.ts'

const runScript = (script: string, timeoutMs = 20_000) => runCommand('/bin/sh', ['-c', script], timeoutMs)

describe.runIf(process.platform === 'linux')('a ping command', () => {
  it('runs in a session of its own, without the terminal of Belfry', async () => {
    // The first field is the process id, and the sixth is the session id. They are equal in a process that has its own
    // session.
    const { stdout } = await runScript('read -r line < /proc/$$/stat; echo "$line"')
    const fields = stdout.split(' ')
    expect(fields[5]).toBe(fields[0])
  })

  it('reports its exit code and its first error, and whether it took too long', async () => {
    expect(await runScript('echo "fping: no route" >&2; exit 3')).toMatchObject({ code: 3, errorLine: 'no route' })
    expect(await runScript('exec sleep 60', 1)).toMatchObject({ code: null, wasKilled: true })
    expect(await runCommand('/missing/fping', [], 1000)).toMatchObject({ code: null, wasKilled: false })
  })

  it('cannot fill the memory with its output', async () => {
    const { code, stdout, stderr } = await runScript('head -c 3000000 /dev/zero; head -c 3000000 /dev/zero >&2')
    expect([code, stdout.length, stderr.length]).toEqual([0, 2 ** 20, 2 ** 20])
  })
})
