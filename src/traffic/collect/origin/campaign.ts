/** Reads the campaign and the source from the parameters of a link. */
import { truncate } from '../../../lib/text.ts'
import { decodeParameterName, decodeParameterValue, splitQuery } from '../page/query-parameters.ts'
import { type ClickIdParameter, findClickIdParameter, findPaidCampaignName } from './click-ids.ts'
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

/** Mail programs send no referrer, so without utm_source the medium is the best source there is. */
function findEmailMedium(medium: string | undefined): string | undefined {
  return medium !== undefined && /^(e-?mail|newsletter)$/i.test(medium) ? medium : undefined
}

/** Replaces line breaks and control characters with spaces. PostgreSQL would reject a text that contains NUL. */
function toOneLine(value: string): string {
  return value.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
}
