import type { Figures } from './figures.ts'
import { type Metrics, noMetrics } from './metrics.ts'

/** Without a token nobody can read the metrics, so nothing is counted, and the 80 files of prom-client are not loaded. */
export async function openMetrics(token: string | undefined, readFigures: () => Promise<Figures>): Promise<Metrics> {
  if (token === undefined) return noMetrics
  const { createPrometheus } = await import('./prometheus.ts')
  return createPrometheus(readFigures)
}
