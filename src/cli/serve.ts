import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { RunningServer } from '../app/server.ts'
import { recordServerProcess } from '../config/server-process.ts'
import { createServerLog } from '../lib/log.ts'
import { formatCommand } from '../lib/program.ts'
import { ServiceManager } from '../lib/service-manager.ts'
import { SECOND_MS } from '../shared/time.ts'
import { recordVersion } from '../upgrade/version-record.ts'
import type { Command, Invocation } from './common/command.ts'
import { formatGreeting } from './greeting.ts'
import { toLocalUrl } from './local-url.ts'

/** The process exits after the drain time plus this time, even if stopping takes longer. */
const STOP_TIMEOUT_MS = 9_500
/** How much longer than `STOP_TIMEOUT_MS` the service manager waits before it kills the process. */
const KILL_MARGIN_MS = 500
/**
 * The process usually ends as soon as its output is flushed. If a connection that is still being opened keeps it alive, it
 * exits after this time.
 */
const MAX_FLUSH_MS = 300

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

/**
 * Starts the server, and stops it when `signal` is aborted. Throws if the start fails, unless the signal has
 * interrupted it.
 */
async function serveUntilAborted(
  { config, settings, out }: Invocation,
  log: ReturnType<typeof createServerLog>,
  serviceManager: ServiceManager,
  signal: AbortSignal,
): Promise<void> {
  serviceManager.reportStarting()
  // The import is here, because other commands start 0.3 s faster without the web server.
  const { startServer } = await import('../app/server.ts')
  let server: RunningServer
  try {
    server = await startServer(config, { log, signal })
  } catch (error) {
    if (signal.aborted) return
    throw error
  }
  for (const { text, remedy } of settings.warnings) log.warn({}, `${text} ${remedy}`)
  log.flush()
  const removeRecord = await recordServerProcess(config.dataDir, settings.configFile)
  await recordVersion(config.dataDir, server.services.version)
  const { address, setupPath } = server
  out(formatGreeting({ address, publicUrl: server.services.config.url, setupPath }))
  // `belfry service status` reads the address from this text.
  const status = `Belfry ${server.services.version} is running at ${toLocalUrl(server.address)}`
  await serviceManager.reportReady(status)
  await waitUntilAborted(signal)
  await server.stop()
  await removeRecord()
}

export const serve: Command = {
  name: 'serve',
  summary: 'run the server',
  usage: 'serve',
  details: `  \`${formatCommand('config --help')}\` describes the settings and where they come from.`,
  async run(invocation) {
    const log = createServerLog(invocation.config.logLevel)
    const stopSignal = createStopSignal(log)
    const maxStopMs = invocation.config.drainSeconds * SECOND_MS + STOP_TIMEOUT_MS
    const serviceManager = new ServiceManager(invocation.config.notifySocket, log)
    const lateStop = waitUntilAborted(stopSignal).then(() => {
      void serviceManager.reportStopping(maxStopMs + KILL_MARGIN_MS)
      return delay(maxStopMs, 'late' as const, { ref: false })
    })
    try {
      const result = await Promise.race([serveUntilAborted(invocation, log, serviceManager, stopSignal), lateStop])
      if (result === 'late') log.error({}, 'the server did not stop in time')
      log.info({}, 'stopped')
      return result === 'late' ? 1 : 0
    } finally {
      setTimeout(() => process.exit(), MAX_FLUSH_MS).unref()
    }
  },
}
