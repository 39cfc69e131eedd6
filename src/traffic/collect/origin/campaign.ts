/** Reads the campaign and the source from the parameters of a link. */
import { truncate } from '../../../lib/text.ts'
import { decodeParameterName, decodeParameterValue, splitQuery } from '../page/query-parameters.ts'
import { identifyLabelSource } from './sources.ts'

const MAX_CAMPAIGN_LENGTH = 200

export interface CampaignTags {
  campaign?: string
  /** From a parameter that the author of the link wrote, such as utm_source. */
  source?: string
  /** From a parameter that an ad network or mailing service added, such as gclid. */
  clickIdSource?: string
}

const tagNames = ['utm_campaign', 'utm_source', 'source', 'ref', 'utm_medium'] as const
type TagName = (typeof tagNames)[number]

/**
 * Whether the parameter says where a visit comes from. Such parameters become sources and campaigns, so they are never part of
 * a page. That includes the utm parameters that no dimension uses, such as utm_content.
 */
export function isOriginParameter(name: string): boolean {
  const lowerCaseName = name.toLowerCase()
  return (
    lowerCaseName.startsWith('utm_') || isTagName(lowerCaseName) || findClickIdParameter(lowerCaseName) !== undefined
  )
}

export function parseCampaign(url: URL): CampaignTags {
  const { tags, clickIdParameter } = parseTags(url)
  const label = tags.utm_source ?? tags.source ?? tags.ref ?? findEmailMedium(tags.utm_medium)
  const source = label === undefined ? undefined : identifyLabelSource(label)
  const campaign = tags.utm_campaign ?? clickIdParameter?.campaign ?? findPaidCampaignName(source, tags.utm_medium)
  return {
    ...(campaign === undefined ? {} : { campaign: truncate(campaign, MAX_CAMPAIGN_LENGTH) }),
    ...(source === undefined ? {} : { source }),
    ...(clickIdParameter === undefined ? {} : { clickIdSource: clickIdParameter.source }),
  }
}

/** If a parameter is repeated, the first one with a value counts. */
function parseTags(url: URL): {
  tags: Partial<Record<TagName, string>>
  clickIdParameter: ClickIdParameter | undefined
} {
  const tags: Partial<Record<TagName, string>> = {}
  let clickIdParameter: ClickIdParameter | undefined
  for (const parameter of splitQuery(url)) {
    if (!parameter.includes('=')) continue
    const name = decodeParameterName(parameter).toLowerCase()
    if (isTagName(name)) {
      const value = toOneLine(decodeParameterValue(parameter))
      if (value !== '') tags[name] ??= value
    } else if (!parameter.endsWith('=')) clickIdParameter ??= findClickIdParameter(name)
  }
  return { tags, clickIdParameter }
}

function isTagName(name: string): name is TagName {
  return (tagNames as readonly string[]).includes(name)
}

/**
 * Mail programs send no referrer. So if a link has no source, but a medium such as `email`, the medium becomes the
 * source.
 */
function findEmailMedium(medium: string | undefined): string | undefined {
  return medium !== undefined && /^(e-?mail|newsletter)$/i.test(medium) ? medium : undefined
}

/** Replaces line breaks and control characters with spaces. PostgreSQL would reject a text that contains NUL. */
function toOneLine(value: string): string {
  return value.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
}

/** A parameter that an ad network, a social network or a mailing service adds to its outgoing links. */
interface ClickIdParameter {
  source: string
  /** Set if the parameter marks advertising or a mailing. */
  campaign?: string
}

const google: ClickIdParameter = { source: 'Google', campaign: 'Google Ads' }

/** The keys are parameter names in lower case. */
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

/** docs/statistics.md lists the same names. A test compares both lists. */
export const clickIdParameterNames = Object.keys(clickIdParameters)

function findClickIdParameter(parameter: string): ClickIdParameter | undefined {
  return Object.hasOwn(clickIdParameters, parameter) ? clickIdParameters[parameter] : undefined
}

/** Maps each network to the name of its paid campaigns. */
const paidCampaigns = new Map([
  ...Object.values(clickIdParameters).map(({ source, campaign }) => [source, campaign] as const),
  // These networks also have parameters without a campaign, such as srsltid, so the line above may store undefined for
  // them. The entries below replace it.
  ['Google', 'Google Ads'],
  ['Yandex', 'Yandex Direct'],
  ['Facebook', 'Meta Ads'],
  ['Instagram', 'Meta Ads'],
] as const)

/** Common values of utm_medium for advertising. */
const paidMediumPattern =
  /^(cpc|ppc|cpm|cpv|cpa|paid|ads?|display|banner|(paid|cpc)[\s_-]?(search|social|media)|retargeting)$/i

/** Names the campaign of an ad that has utm tags instead of a click id. Ads with click ids get the same name. */
function findPaidCampaignName(source: string | undefined, medium: string | undefined): string | undefined {
  return source !== undefined && medium !== undefined && paidMediumPattern.test(medium)
    ? paidCampaigns.get(source)
    : undefined
}
