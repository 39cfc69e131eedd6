import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { RunningServer } from '../app/server.ts'
import { recordServerProcess } from '../config/server-process.ts'
import { createServerLog } from '../lib/log.ts'
import { SECOND_MS } from '../shared/time.ts'
import type { Command, Invocation } from './command.ts'

/** The process exits after the drain time plus this time, even if stopping takes longer. */
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

/** Returns a signal that is aborted when the process is asked to stop. */
function createStopSignal(log: Logger): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      // npm forwards the terminal's signal, so a signal may arrive twice. The second one has no effect.
      if (!controller.signal.aborted) log.info({ signal }, 'stopping')
      controller.abort()
    })
  }
  return controller.signal
}

async function waitUntilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}

/** Starts the server, and stops it when `signal` is aborted. Throws if the start fails for another reason. */
async function serveUntilAborted(
  { config, out }: Invocation,
  log: ReturnType<typeof createServerLog>,
  signal: AbortSignal,
): Promise<void> {
  // Imported here, because the other commands start 0.3 s faster without a web server.
  const { startServer } = await import('../app/server.ts')
  let server: RunningServer
  try {
    server = await startServer(config, { log, signal })
  } catch (error) {
    if (signal.aborted) return
    throw error
  }
  for (const name of config.unknownSettingNames) log.warn({ name }, 'unknown setting; is it misspelled?')
  log.flush()
  const removeRecord = await recordServerProcess(config.dataDir)
  out(formatGreeting(server))
  await waitUntilAborted(signal)
  await server.stop()
  await removeRecord()
}

export const serve: Command = {
  name: 'serve',
  summary: 'run the server',
  usage: 'serve',
  details: '  Reads its settings from the environment. docs/configure.md lists all of them.',
  async run(invocation) {
    const log = createServerLog(invocation.config.logLevel)
    const stopSignal = createStopSignal(log)
    const maxStopMs = invocation.config.drainSeconds * SECOND_MS + STOP_TIMEOUT_MS
    const lateStop = waitUntilAborted(stopSignal).then(() => delay(maxStopMs, 'late' as const, { ref: false }))
    try {
      const result = await Promise.race([serveUntilAborted(invocation, log, stopSignal), lateStop])
      if (result === 'late') log.error({}, 'the server did not stop in time')
      log.info({}, 'stopped')
      return result === 'late' ? 1 : 0
    } finally {
      setTimeout(() => process.exit(), MAX_FLUSH_MS).unref()
    }
  },
}
