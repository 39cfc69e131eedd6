/** What is counted for whoever watches the server. */

export interface Metrics {
  /** Kept but not added up yet. */
  noteWaitingEvents(count: number): void
  /** Accepted, malformed, or why it was dropped. */
  countEvent(outcome: string): void
  countDelivery(type: string, result: string): void
  countCheck(outcome: 'ok' | 'failed' | 'unknown' | 'unable', lateMs: number): void
  countRequest(method: string, route: string, status: number, seconds: number): void
  write(): Promise<{ type: string; text: string }>
}

const noMetrics: Metrics = {
  noteWaitingEvents() {},
  countEvent() {},
  countDelivery() {},
  countCheck() {},
  countRequest() {},
  write: async () => ({ type: 'text/plain', text: '' }),
}

/** Without a token nobody can look, so nothing is counted, and 80 files are not loaded. */
export async function openMetrics(token: string | undefined): Promise<Metrics> {
  if (token === undefined) return noMetrics
  const { createPrometheus } = await import('./prometheus.ts')
  return createPrometheus()
}
