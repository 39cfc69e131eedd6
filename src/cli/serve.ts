import { setTimeout as delay } from 'node:timers/promises'
import type { RunningServer } from '../app/server.ts'
import { createServerLog } from '../lib/log.ts'
import type { Command } from './command.ts'

/** The process exits after this time, even if stopping takes longer. */
const STOP_TIMEOUT_MS = 9_500
/**
 * The process usually ends as soon as its output is flushed. If a connection that is still being opened keeps it alive, it
 * exits after this time.
 */
const MAX_FLUSH_MS = 300

function formatGreeting({ address, setupPath, services: { config } }: RunningServer): string {
  const url = config.url ?? address.replace('0.0.0.0', 'localhost').replace('[::]', 'localhost')
  const nextSteps =
    setupPath === undefined
      ? ['  Open it in a browser and sign in.', `  API documentation: ${url}/docs`, '  Press Ctrl-C to stop.']
      : [
          '  Open this link to create your admin account. It works once:',
          `  ${url}${setupPath}`,
          '',
          `  API documentation: ${url}/docs`,
          '  Press Ctrl-C to stop.',
        ]
  return ['', `  Belfry is running at ${url}`, ...nextSteps, '', ''].join('\n')
}

export const serve: Command = {
  name: 'serve',
  summary: 'run the server',
  usage: 'serve',
  details: '  Reads its settings from the environment. docs/configure.md lists all of them.',
  async run({ config, out }) {
    const log = createServerLog(config.logLevel)
    const timeoutController = new AbortController()
    const stopSignal = new Promise<string>((resolve) => {
      // npm forwards the terminal's signal, so a signal may arrive twice. The second one has no effect.
      for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, resolve)
    })
    // Imported here, because the other commands start 0.3 s faster without a web server.
    const { startServer } = await import('../app/server.ts')
    const server = await startServer(config, { log })
    for (const name of config.unknownSettingNames) log.warn({ name }, 'unknown setting; is it misspelled?')
    log.flush()
    out(formatGreeting(server))
    const signal = await stopSignal
    log.info({ signal }, 'stopping')
    const timeout = delay(STOP_TIMEOUT_MS, 'late' as const, { signal: timeoutController.signal }).catch(
      () => 'cancelled' as const,
    )
    const result = await Promise.race([server.stop(), timeout])
    timeoutController.abort()
    if (result === 'late') log.error({}, 'the server did not stop in time')
    log.info({}, 'stopped')
    setTimeout(() => process.exit(), MAX_FLUSH_MS).unref()
    return result === 'late' ? 1 : 0
  },
}
