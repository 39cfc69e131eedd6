/** What the link that somebody followed says about itself. */
import { shorten } from '../../lib/shorten.ts'
import { nameIn, parametersOf, valueIn } from './page-query.ts'
import { sourceOfLabel } from './sources.ts'

const CAMPAIGN_MOST = 200

export interface Campaign {
  campaign?: string
  source?: string
}

/** In this order; `source` and `ref` are what links had before utm_source, and are still common. */
const sourceNames = ['utm_source', 'source', 'ref'] as const
const labels = new Set<string>(['utm_campaign', 'utm_medium', ...sourceNames])

/** What networks add to a link. Where that means an advertisement, or a mailing, it is a campaign. */
const clickIds: Readonly<Record<string, Campaign>> = {
  gclid: { source: 'Google', campaign: 'Google Ads' },
  gbraid: { source: 'Google', campaign: 'Google Ads' },
  wbraid: { source: 'Google', campaign: 'Google Ads' },
  gclsrc: { source: 'Google', campaign: 'Google Ads' },
  gad_source: { source: 'Google', campaign: 'Google Ads' },
  dclid: { source: 'Google', campaign: 'Google Ads' },
  // Google's free product listings.
  srsltid: { source: 'Google' },
  msclkid: { source: 'Bing', campaign: 'Microsoft Ads' },
  // On every link out of Facebook, paid or not; so are igshid and igsh on those out of Instagram.
  fbclid: { source: 'Facebook' },
  igshid: { source: 'Instagram' },
  igsh: { source: 'Instagram' },
  ttclid: { source: 'TikTok', campaign: 'TikTok Ads' },
  twclid: { source: 'X', campaign: 'X Ads' },
  li_fat_id: { source: 'LinkedIn', campaign: 'LinkedIn Ads' },
  rdt_cid: { source: 'Reddit', campaign: 'Reddit Ads' },
  epik: { source: 'Pinterest', campaign: 'Pinterest Ads' },
  sccid: { source: 'Snapchat', campaign: 'Snapchat Ads' },
  yclid: { source: 'Yandex', campaign: 'Yandex Direct' },
  // On links among the results of Yandex that nobody paid for.
  ysclid: { source: 'Yandex' },
  mc_cid: { source: 'Mailchimp', campaign: 'Mailchimp' },
  _hsmi: { source: 'HubSpot', campaign: 'HubSpot' },
  _kx: { source: 'Klaviyo', campaign: 'Klaviyo' },
  mkt_tok: { source: 'Marketo', campaign: 'Marketo' },
}

/** `url` has lost what is excluded. A click id's source is only a guess: a referrer knows better. */
export function campaignOf(url: URL): Campaign & { clicked?: string } {
  const found = new Map<string, string>()
  let click: Campaign | undefined
  for (const parameter of parametersOf(url)) {
    const name = nameIn(parameter).toLowerCase()
    if (labels.has(name) && !found.has(name)) {
      const value = oneLine(valueIn(parameter))
      if (value !== '') found.set(name, value)
    } else if (Object.hasOwn(clickIds, name) && !parameter.endsWith('=')) click ??= clickIds[name]
  }
  const label = sourceNames.map((name) => found.get(name)).find((value) => value !== undefined)
  const campaign = found.get('utm_campaign') ?? click?.campaign
  return {
    ...(campaign === undefined ? {} : { campaign: shorten(campaign, CAMPAIGN_MOST) }),
    ...(label === undefined ? {} : { source: sourceOfLabel(label) }),
    ...(click?.source === undefined ? {} : { clicked: click.source }),
  }
}

/** The database takes no NUL, and nobody wants to read a line break. */
function oneLine(value: string): string {
  return value.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
}
