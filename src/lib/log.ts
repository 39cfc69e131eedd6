/** Logs JSON lines, or short readable lines in a terminal. */
import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino'

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** Lines are written in batches, because one write per line would cost as much as handling a small request. */
const FLUSH_INTERVAL_MS = 500
const MAX_BUFFERED_BYTES = 4_096

/** Logs to standard output in batches. Warnings and errors are written immediately. */
export function createServerLog(level: LogLevel, stdout: NodeJS.WriteStream = process.stdout): Logger {
  // The server must keep running after the process that reads its output has exited.
  stdout.on('error', () => {})
  if (stdout.isTTY) return createLog(level, stdout)
  let buffer = ''
  const flush = () => {
    if (buffer !== '') stdout.write(buffer)
    buffer = ''
  }
  setInterval(flush, FLUSH_INTERVAL_MS).unref()
  process.on('exit', flush)
  return createLog(level, {
    write(line: string) {
      buffer += line
      if (buffer.length >= MAX_BUFFERED_BYTES || !/^\{"level":"(trace|debug|info)"/.test(line)) flush()
    },
    // pino calls this when its logger is flushed.
    flush,
  } as DestinationStream)
}

export function createLog(level: LogLevel, destination: NodeJS.WriteStream | DestinationStream): Logger {
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  }
  if ('isTTY' in destination && destination.isTTY)
    return pino(options, { write: (line) => destination.write(formatForTerminal(line)) })
  return pino(options, destination)
}

/**
 * Writes a line that is already formatted. pino takes 30 µs to format a few fields, a third of the cost of a small request,
 * so the request log formats its lines itself.
 */
export function writeLogLine(log: Logger, line: string): void {
  ;(log as unknown as Record<symbol, DestinationStream>)[pino.symbols.streamSym as unknown as symbol]?.write(line)
}

function formatForTerminal(line: string): string {
  const { level, time, msg, err, ...fields } = JSON.parse(line)
  const details = Object.entries(fields).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  const stack = err?.stack === undefined ? '' : `\n${err.stack}`
  return `${String(time).slice(11, 19)} ${level === 'info' ? '' : `${level} `}${msg ?? ''} ${details.join(' ')}${stack}\n`
}
