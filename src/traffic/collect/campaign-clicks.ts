/** What networks add to the links that lead out of them. */

export interface Click {
  source: string
  /** Where it means that somebody paid for the link, or sent it to many. */
  campaign?: string
}

const google: Click = { source: 'Google', campaign: 'Google Ads' }

/** In lower case. */
const clicks: Readonly<Record<string, Click>> = {
  gclid: google,
  gbraid: google,
  wbraid: google,
  gclsrc: google,
  gad_source: google,
  dclid: google,
  // Product listings, which cost nothing.
  srsltid: { source: 'Google' },
  msclkid: { source: 'Bing', campaign: 'Microsoft Ads' },
  // On every link out of Facebook, paid or not; the same with igshid and igsh.
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
  // On what Yandex found by itself.
  ysclid: { source: 'Yandex' },
  mc_cid: { source: 'Mailchimp', campaign: 'Mailchimp' },
  _hsmi: { source: 'HubSpot', campaign: 'HubSpot' },
  _kx: { source: 'Klaviyo', campaign: 'Klaviyo' },
  mkt_tok: { source: 'Marketo', campaign: 'Marketo' },
}

export function clickOf(parameter: string): Click | undefined {
  return Object.hasOwn(clicks, parameter) ? clicks[parameter] : undefined
}

const campaigns = new Map([
  ...Object.values(clicks).map(({ source, campaign }) => [source, campaign] as const),
  // Networks whose own mark does not say whether somebody paid.
  ['Google', 'Google Ads'],
  ['Yandex', 'Yandex Direct'],
  ['Facebook', 'Meta Ads'],
  ['Instagram', 'Meta Ads'],
] as const)

/** utm_medium as people write it for advertisements. */
const paid = /^(cpc|ppc|cpm|cpv|cpa|paid|ads?|display|banner|(paid|cpc)[\s_-]?(search|social|media)|retargeting)$/i

/** The same name for advertisements that were marked by hand. */
export function paidCampaignOf(source: string | undefined, medium: string | undefined): string | undefined {
  return source !== undefined && medium !== undefined && paid.test(medium) ? campaigns.get(source) : undefined
}
