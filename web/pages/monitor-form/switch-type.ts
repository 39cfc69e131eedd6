/** The values of the form that change together with the type of the monitor. */
import { defaultIntervals, MIN_DOMAIN_INTERVAL_SECONDS, type MonitorType } from '../../../src/shared/monitors.ts'
import { addScheme } from '../../lib/address.ts'
import type { MonitorFormValues } from './values.ts'

type SwitchedValues = Pick<MonitorFormValues, 'type' | 'url' | 'otherUrls' | 'interval'>

export function switchType({ type, url, otherUrls, interval }: SwitchedValues, nextType: MonitorType): SwitchedValues {
  const isDefaultInterval = interval === `${defaultIntervals[type]}`
  const isTooShort = nextType === 'domain' && Number(interval) < MIN_DOMAIN_INTERVAL_SECONDS
  return {
    type: nextType,
    url: otherUrls[nextType] ?? convertTarget(url, nextType),
    otherUrls: { ...otherUrls, [type]: url },
    interval: isDefaultInterval || isTooShort ? `${defaultIntervals[nextType]}` : interval,
  }
}

const targetPattern = /^(?:([a-z]+):\/\/)?(\[[\da-f:.]+\]|[^/?#:\s]+)(?::(\d+))?(?:[/?#]|$)/i

/** Converts the target to the form that `type` expects, with the same host. Text that has no host stays unchanged. */
export function convertTarget(text: string, type: MonitorType): string {
  const [, scheme, host, port] = targetPattern.exec(text.trim()) ?? []
  if (host === undefined) return text
  if (type === 'http') return addScheme(scheme === 'tcp' ? text.trim().slice('tcp://'.length) : text)
  if (type === 'tcp') return port === undefined ? addDefaultPort(host, scheme) : `${host}:${port}`
  if (type === 'tls') return port === undefined || port === '443' ? host : `${host}:${port}`
  return type === 'domain' ? host.replace(/^www\./i, '') : host
}

function addDefaultPort(host: string, scheme: string | undefined): string {
  if (scheme === 'https') return `${host}:443`
  return scheme === 'http' ? `${host}:80` : host
}
