import type { MonitorType } from '../shared/monitors.ts'

/** The host that is looked at, as the network knows it: lower case, punycode. By it a monitor belongs to a website. */
export function monitorHost({ type, url }: { type: MonitorType; url: string }): string | undefined {
  return URL.parse(type === 'ping' ? `http://${url}` : url)?.hostname.replace(/\.$/, '')
}
