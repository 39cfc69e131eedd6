/** Sends panels as CSV, as fast as the client reads them, and limits the number of downloads. */
import { Readable } from 'node:stream'
import type { Config } from '../../config/config.ts'
import { formatCsvCells } from '../../lib/csv.ts'
import { toClientNetwork } from '../../lib/network-address.ts'
import { invalid, rateLimited } from '../../lib/problem.ts'
import type { Secret } from '../../lib/secret.ts'
import type { RateLimit, WindowCounter } from '../../lib/window-counter.ts'
import type { PanelExport } from './panels.ts'
import { rowDetailNames } from './schema.ts'
import type { StatisticsReader } from './statistics.ts'

/** Visitors are all readers except the members of the team, who can download all rows. */
const MAX_VISITOR_CSV_ROWS = 10_000
const VISITOR_LIMIT: RateLimit = { count: 10, windowSeconds: 60 }
/** Each download holds its ranking in memory until the client has read it. */
const MAX_CONCURRENT_DOWNLOADS = 5
const CONCURRENT_RETRY_SECONDS = 5

interface Deps {
  config: Pick<Config, 'rateLimit'>
  counter: WindowCounter
  secret: Secret
}

interface CsvColumns {
  firstColumnName: string
  hasDetails: boolean
}

export class CsvDownloads {
  readonly #deps: Deps
  /** By team, or by the network of a visitor. */
  readonly #runningCounts = new Map<string, number>()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /**
   * Counts the download, prepares it, and returns the CSV as a stream. When the client leaves, the stream is destroyed, which
   * ends the generator of its pages.
   */
  async open(
    { reader, clientIp }: { reader: StatisticsReader; clientIp: string },
    columns: CsvColumns,
    prepare: () => Promise<PanelExport>,
  ): Promise<Readable> {
    const key = this.#identify(reader, clientIp)
    if (reader.kind !== 'member') this.#limitVisitor(key)
    this.#takeSlot(key)
    try {
      const panelExport = await prepare()
      if (reader.kind !== 'member') limitVisitorRows(panelExport)
      const stream = Readable.from(formatCsv(columns, panelExport.pages), { objectMode: false })
      return stream.once('close', () => this.#releaseSlot(key))
    } catch (error) {
      this.#releaseSlot(key)
      throw error
    }
  }

  #identify(reader: StatisticsReader, clientIp: string): string {
    if (reader.kind === 'member') return `team:${reader.caller.teamId}`
    return `csv:${this.#deps.secret.hmac('addresses', toClientNetwork(clientIp)).toString('base64url')}`
  }

  #limitVisitor(key: string): void {
    const { config, counter } = this.#deps
    if (config.rateLimit === 0) return
    const { allowed, retryAfterSeconds } = counter.take(key, VISITOR_LIMIT)
    if (allowed) return
    const limit = `Only members of the website's team can download more than ${VISITOR_LIMIT.count} CSV files per minute.`
    throw rateLimited(`${limit} Try again in ${retryAfterSeconds} s.`, retryAfterSeconds)
  }

  #takeSlot(key: string): void {
    const runningCount = this.#runningCounts.get(key) ?? 0
    if (runningCount >= MAX_CONCURRENT_DOWNLOADS) {
      const limit = `At most ${MAX_CONCURRENT_DOWNLOADS} CSV downloads at a time.`
      throw rateLimited(`${limit} Try again when one has ended.`, CONCURRENT_RETRY_SECONDS)
    }
    this.#runningCounts.set(key, runningCount + 1)
  }

  #releaseSlot(key: string): void {
    const remainingCount = (this.#runningCounts.get(key) ?? 1) - 1
    if (remainingCount > 0) this.#runningCounts.set(key, remainingCount)
    else this.#runningCounts.delete(key)
  }
}

function limitVisitorRows({ total }: PanelExport): void {
  if (total <= MAX_VISITOR_CSV_ROWS) return
  const limit = `Only members of the website's team can download more than ${MAX_VISITOR_CSV_ROWS}.`
  throw invalid({
    from: [`The CSV file would have ${total} rows. ${limit} Choose a shorter range, or add a search or a filter.`],
  })
}

/** Formats CSV by RFC 4180, with CRLF at the end of each line. */
async function* formatCsv(
  { firstColumnName, hasDetails }: CsvColumns,
  pages: PanelExport['pages'],
): AsyncGenerator<string> {
  const detailNames = hasDetails ? rowDetailNames : []
  yield formatLines([[firstColumnName, 'count', ...detailNames]])
  for await (const rows of pages) {
    yield formatLines(rows.map((row) => [row.value, row.count, ...detailNames.map((name) => row[name] ?? '')]))
  }
}

function formatLines(lines: readonly (string | number)[][]): string {
  return lines.map((cells) => `${formatCsvCells(cells)}\r\n`).join('')
}
