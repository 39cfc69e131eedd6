/**
 * The steps from an empty account to websites that are counted and monitored. Every checklist shows these steps, in this
 * order and with these names: the overview, the page of a new website, and the page of a website.
 */
import type { ArrivalRecord } from '../../src/traffic/dropped/schema.ts'
import { buildNewMonitorPathForDomain, SERVER_SETTINGS_PATH } from './address.ts'

export const setupStepKeys = [
  'website',
  'snippet',
  'visit',
  'monitor',
  'channel',
  'live',
  'status',
  'domain',
  'report',
] as const
export type SetupStepKey = (typeof setupStepKeys)[number]

/** What is already set up. A step is undefined while its data is loading. */
export interface SetupProgress extends Record<SetupStepKey, boolean | undefined> {}

export interface SetupStep {
  key: SetupStepKey
  title: string
  /** One sentence that says what the step is good for. */
  detail: string
  href: string
  isOptional: boolean
  /** Undefined while loading. */
  isDone: boolean | undefined
  /** Whether it is the first step that remains to be done. */
  isCurrent: boolean
}

interface StepDefinition {
  title: string
  detail: string
  /** `domain` is undefined until a website exists. */
  getHref: (domain: string | undefined) => string
  isOptional?: boolean
}

const newWebsitePath = '/websites/new'
const getStatisticsPath = (domain: string | undefined) => (domain === undefined ? newWebsitePath : `/${domain}`)
const getSettingsPath = (domain: string | undefined) => (domain === undefined ? newWebsitePath : `/${domain}/settings`)

const definitions: Record<SetupStepKey, StepDefinition> = {
  website: {
    title: 'Add a website',
    detail: 'You only need its domain.',
    getHref: () => newWebsitePath,
  },
  snippet: {
    title: 'Install the tracking snippet',
    detail: 'One line of HTML counts the visits, without cookies.',
    getHref: getStatisticsPath,
  },
  visit: {
    title: 'Receive the first visit',
    detail: 'Open your website to record a visit.',
    getHref: getStatisticsPath,
  },
  monitor: {
    title: 'Monitor uptime',
    detail: 'Get alerted when your website goes down.',
    getHref: (domain) => (domain === undefined ? '/monitors/new' : buildNewMonitorPathForDomain(domain)),
  },
  channel: {
    title: 'Add a notification channel',
    detail: 'Email, chat, push or SMS.',
    getHref: () => '/notification-channels/new',
  },
  live: {
    title: 'Go live',
    detail: 'Set the public URL, HTTPS, the mail server and backups.',
    getHref: () => SERVER_SETTINGS_PATH,
  },
  status: {
    title: 'Create a status page',
    detail: 'Show visitors what works and what is down.',
    getHref: () => '/status-pages/new',
    isOptional: true,
  },
  domain: {
    title: 'Watch the domain and certificate',
    detail: 'Get alerts before they expire.',
    getHref: getSettingsPath,
    isOptional: true,
  },
  report: {
    title: 'Turn on the weekly report',
    detail: 'By email, every Monday.',
    getHref: getSettingsPath,
    isOptional: true,
  },
}

export function listSetupSteps(progress: SetupProgress, domain: string | undefined): SetupStep[] {
  const currentKey = setupStepKeys.find((key) => !progress[key] && !definitions[key].isOptional)
  return setupStepKeys.map((key) => {
    const { title, detail, getHref, isOptional = false } = definitions[key]
    return {
      key,
      title,
      detail,
      href: getHref(domain),
      isOptional,
      isDone: progress[key],
      isCurrent: key === currentKey,
    }
  })
}

interface SnippetEvidence {
  /** Whether a visit has been counted. */
  hasVisit: boolean
  /** Whether the last verification found a working snippet. */
  isVerified: boolean
  /** Undefined while loading. */
  arrivals: readonly Pick<ArrivalRecord, 'reason'>[] | undefined
}

/** Returns undefined while loading. */
export function isSnippetInstalled({ hasVisit, isVerified, arrivals }: SnippetEvidence): boolean | undefined {
  return hasVisit || isVerified || arrivals?.some(provesInstallation)
}

/** Once the snippet has sent an event for the website, it is installed, even if the event was dropped. */
const provesInstallation = ({ reason }: Pick<ArrivalRecord, 'reason'>) =>
  reason !== 'unknown_site' && reason !== 'other_website'

/** Optional steps may stay open. */
export const isSetupComplete = (steps: readonly SetupStep[]) =>
  steps.every(({ isDone, isOptional }) => isDone || isOptional)
