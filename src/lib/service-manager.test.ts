import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createLog } from './log.ts'
import { ServiceManager } from './service-manager.ts'

/** tests/install/service.test.ts sends these messages to a real systemd. */
describe('messages to the service manager', () => {
  function open(socket: string | undefined) {
    const lines: string[] = []
    const log = createLog('info', { write: (line: string) => void lines.push(line) })
    return { lines, manager: new ServiceManager(socket, log) }
  }

  it('are not sent if systemd does not wait for them', async () => {
    const { lines, manager } = open(undefined)
    manager.reportStarting()
    await manager.reportReady('Running')
    await manager.reportStopping(1_000)
    expect(lines).toEqual([])
  })

  it('never fail, but the log says that they were not received', async () => {
    const { lines, manager } = open(join(import.meta.dirname, 'no-such-socket'))
    await manager.reportReady('Running')
    expect(lines).toHaveLength(1)
    expect(JSON.parse(lines[0] as string)).toMatchObject({
      level: 'warn',
      msg: expect.stringContaining('systemd-notify failed'),
    })
  })
})
