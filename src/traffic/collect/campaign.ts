/** What the link that somebody followed says about itself. */
import { shorten } from '../../lib/shorten.ts'
import { type Click, clickOf, paidCampaignOf } from './campaign-clicks.ts'
import { nameIn, parametersOf, valueIn } from './page-query.ts'
import { sourceOfLabel } from './sources.ts'

const CAMPAIGN_MOST = 200

export interface Campaign {
  campaign?: string
  /** Somebody wrote it there. */
  source?: string
  /** A network put its mark there. Less than a referrer: a link keeps its mark when it is passed on. */
  clicked?: string
}

const labels = ['utm_campaign', 'utm_source', 'source', 'ref', 'utm_medium'] as const
type Label = (typeof labels)[number]

export function campaignOf(url: URL): Campaign {
  const { given, click } = readLabels(url)
  const label = given.utm_source ?? given.source ?? given.ref ?? mailing(given.utm_medium)
  const source = label === undefined ? undefined : sourceOfLabel(label)
  const campaign = given.utm_campaign ?? click?.campaign ?? paidCampaignOf(source, given.utm_medium)
  return {
    ...(campaign === undefined ? {} : { campaign: shorten(campaign, CAMPAIGN_MOST) }),
    ...(source === undefined ? {} : { source }),
    ...(click === undefined ? {} : { clicked: click.source }),
  }
}

/** The first of each counts. */
function readLabels(url: URL): { given: Partial<Record<Label, string>>; click: Click | undefined } {
  const given: Partial<Record<Label, string>> = {}
  let click: Click | undefined
  for (const parameter of parametersOf(url)) {
    if (!parameter.includes('=')) continue
    const name = nameIn(parameter).toLowerCase()
    if (isLabel(name)) {
      const value = oneLine(valueIn(parameter))
      if (value !== '') given[name] ??= value
    } else if (!parameter.endsWith('=')) click ??= clickOf(name)
  }
  return { given, click }
}

function isLabel(name: string): name is Label {
  return (labels as readonly string[]).includes(name)
}

/** Mail programs send no referrer: without a source, this is all that is known. */
function mailing(medium: string | undefined): string | undefined {
  return medium !== undefined && /^(e-?mail|newsletter)$/i.test(medium) ? medium : undefined
}

/** The database takes no NUL, and nobody wants to read a line break. */
function oneLine(value: string): string {
  return value.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
}
