import { setTimeout as pause } from 'node:timers/promises'
import type { RunningServer } from '../app/server.ts'
import { createServerLog } from '../lib/log.ts'
import type { Command } from './command.ts'

/** Whatever happens, the process is gone by then. */
const STOP_MS = 9_500
/** For what is still being printed. Then a connection that was just being opened, say, is no reason to stay. */
const LAST_WORDS_MS = 300

function greet({ address, setupPath, services: { config } }: RunningServer): string {
  const url = config.url ?? address.replace('0.0.0.0', 'localhost').replace('[::]', 'localhost')
  const next =
    setupPath === undefined
      ? ['  Open it in a browser and sign in.', `  The API is described at ${url}/docs.`, '  Stop it with Ctrl-C.']
      : [
          '  Open this link and make the first account; it works once:',
          `  ${url}${setupPath}`,
          '',
          `  The API is described at ${url}/docs.`,
          '  Stop it with Ctrl-C.',
        ]
  return ['', `  Belfry is running at ${url}`, ...next, '', ''].join('\n')
}

export const serve: Command = {
  name: 'serve',
  summary: 'run the server',
  usage: 'serve',
  details: 'Configured by the environment; docs/configure.md lists every setting.',
  async run({ config, out }) {
    const log = createServerLog(config.logLevel)
    const controller = new AbortController()
    const stopped = new Promise<string>((resolve) => {
      // npm passes the terminal's signal on, so it may come twice; the second changes nothing.
      for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, resolve)
    })
    // Loaded here: the other commands need no web server, and are there 0.3 s sooner.
    const { startServer } = await import('../app/server.ts')
    const server = await startServer(config, { log })
    for (const name of config.unknown) log.warn({ name }, 'this setting is not known; is it misspelt?')
    log.flush()
    out(greet(server))
    const signal = await stopped
    log.info({ signal }, 'stopping')
    const late = pause(STOP_MS, 'late' as const, { signal: controller.signal }).catch(() => 'cancelled' as const)
    const outcome = await Promise.race([server.stop(), late])
    controller.abort()
    if (outcome === 'late') log.error({}, 'something did not stop in time')
    log.info({}, 'stopped')
    setTimeout(() => process.exit(), LAST_WORDS_MS).unref()
    return outcome === 'late' ? 1 : 0
  },
}
