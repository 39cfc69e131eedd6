/** Which pages are about the sample shop. */
import type { Overview } from './overview.ts'

interface Samples {
  /** Domains of sample websites. */
  domains: readonly string[]
  monitorIds: readonly number[]
  incidentIds: readonly number[]
}

export function listSamples({
  websites,
  monitors,
}: Pick<Overview, 'websites' | 'monitors'>): Omit<Samples, 'incidentIds'> {
  return {
    domains: websites.filter(({ is_sample }) => is_sample).map(({ domain }) => domain),
    monitorIds: monitors.filter(({ is_sample }) => is_sample).map(({ id }) => id),
  }
}

/** Whether a page shows only the sample shop or a part of it, or its settings. The path is that of the application, without its prefix. */
export function isSamplePath(path: string, { domains, monitorIds, incidentIds }: Samples): boolean {
  const samplePaths = [
    ...domains.map((domain) => `/${domain}`),
    ...monitorIds.map((id) => `/monitors/${id}`),
    ...incidentIds.map((id) => `/incidents/${id}`),
  ]
  return samplePaths.some((samplePath) => path === samplePath || path.startsWith(`${samplePath}/`))
}

export const removeSamples = (overview: Overview): Overview => ({
  ...overview,
  websites: overview.websites.filter(({ is_sample }) => !is_sample),
  monitors: overview.monitors.filter(({ is_sample }) => !is_sample),
})
