/**
 * The logos of services that send notifications, see `logos.ts`. The packages have no logos of Gotify and Pushover, and email, SMS and
 * webhooks belong to no service.
 */
export const channelLogos = {
  slack: 'logos:slack-icon',
  telegram: 'logos:telegram',
  discord: 'logos:discord-icon',
  teams: 'logos:microsoft-teams',
  googlechat: 'simple:googlechat#34a853',
  ntfy: 'simple:ntfy#3a9a87',
  matrix: 'simple:matrix',
  pagerduty: 'logos:pagerduty-icon',
} as const
