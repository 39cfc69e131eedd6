/** Parameters that ad networks, social networks and mailing services add to their outgoing links. */

export interface ClickIdParameter {
  source: string
  /** Set if the parameter marks advertising or a mailing. */
  campaign?: string
}

const google: ClickIdParameter = { source: 'Google', campaign: 'Google Ads' }

/** By parameter name in lower case. */
const clickIdParameters: Readonly<Record<string, ClickIdParameter>> = {
  gclid: google,
  gbraid: google,
  wbraid: google,
  gclsrc: google,
  gad_source: google,
  dclid: google,
  // Google adds srsltid to free product listings.
  srsltid: { source: 'Google' },
  msclkid: { source: 'Bing', campaign: 'Microsoft Ads' },
  // Facebook adds fbclid to every link, paid or not. Instagram does the same with igshid and igsh.
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
  // Yandex adds ysclid to organic search results.
  ysclid: { source: 'Yandex' },
  mc_cid: { source: 'Mailchimp', campaign: 'Mailchimp' },
  _hsmi: { source: 'HubSpot', campaign: 'HubSpot' },
  _kx: { source: 'Klaviyo', campaign: 'Klaviyo' },
  mkt_tok: { source: 'Marketo', campaign: 'Marketo' },
}

/** docs/statistics.md lists them; a test compares the two. */
export const clickIdParameterNames = Object.keys(clickIdParameters)

export function findClickIdParameter(parameter: string): ClickIdParameter | undefined {
  return Object.hasOwn(clickIdParameters, parameter) ? clickIdParameters[parameter] : undefined
}

/** The name of each network's paid campaigns. */
const paidCampaigns = new Map([
  ...Object.values(clickIdParameters).map(({ source, campaign }) => [source, campaign] as const),
  // In the line above, a parameter without a campaign, such as srsltid, sets these networks to undefined. These entries override
  // that.
  ['Google', 'Google Ads'],
  ['Yandex', 'Yandex Direct'],
  ['Facebook', 'Meta Ads'],
  ['Instagram', 'Meta Ads'],
] as const)

/** Common values of utm_medium for advertising. */
const paidMediumPattern =
  /^(cpc|ppc|cpm|cpv|cpa|paid|ads?|display|banner|(paid|cpc)[\s_-]?(search|social|media)|retargeting)$/i

/** Names the campaign of an ad that has utm tags instead of a click id. Ads with click ids get the same name. */
export function findPaidCampaignName(source: string | undefined, medium: string | undefined): string | undefined {
  return source !== undefined && medium !== undefined && paidMediumPattern.test(medium)
    ? paidCampaigns.get(source)
    : undefined
}
