/** Describes the visits that the server received while the website waits for its first counted visit. */
import type { ArrivalRecord } from '../../../src/traffic/dropped/schema.ts'
import { toDisplayHost } from '../../lib/address.ts'
import { pluralize } from '../../lib/format.ts'

export interface ArrivalText {
  title: string
  detail: string
  /** Whether the visit was counted, although not as expected. */
  isCounted?: boolean
}

const isHostOf = (host: string, domain: string) => host === domain || host.endsWith(`.${domain}`)

export const isFromWebsite = ({ host }: Pick<ArrivalRecord, 'host'>, websiteDomain: string) =>
  host !== null && isHostOf(host, websiteDomain)

export function describeArrival(arrival: ArrivalRecord, websiteDomain: string): ArrivalText {
  const { reason, count, exclusion } = arrival
  const domain = toDisplayHost(arrival.domain ?? '')
  const host = toDisplayHost(arrival.host ?? '')
  const website = toDisplayHost(websiteDomain)
  const visits = pluralize(count, 'visit')
  switch (reason) {
    case 'unknown_site':
      return {
        title: `We received ${count === 1 ? 'a visit' : visits} for ${domain}, but this website is ${website}`,
        detail: isFromWebsite(arrival, websiteDomain)
          ? `The snippet on ${host} has data-domain="${domain}".`
          : `The page is on ${host}, and ${domain} isn't one of your websites.`,
      }
    case 'other_website':
      return {
        title: `${visits} from ${host} counted for ${domain}`,
        detail: `The snippet on ${host} has data-domain="${domain}", another of your websites.`,
        isCounted: true,
      }
    case 'other_host':
      return {
        title: `${visits} from ${host} counted for ${website}`,
        detail: `The page is on ${host}, but its snippet has data-domain="${website}".`,
        isCounted: true,
      }
    case 'bot':
      return {
        title: `${visits} ignored: bot`,
        detail: 'Crawlers and automated browsers are not counted.',
      }
    case 'prefetch':
      return {
        title: `${visits} ignored: prefetch`,
        detail: 'The browser loaded the page in advance. Open it to record a visit.',
      }
    case 'spam_referrer':
      return {
        title: `${visits} ignored: spam referrer`,
        detail: 'The link was on a site known for spam. Open the page directly to record a visit.',
      }
    case 'ip':
      return {
        title: `${visits} ignored: excluded IP`,
        detail:
          exclusion === null
            ? 'Your excluded IPs have changed since then.'
            : `${exclusion} is one of your excluded IPs.`,
      }
  }
}
