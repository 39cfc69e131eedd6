/** Why an event is not counted: a closed set, as in X-Belfry-Dropped. */

/** What the settings of a website turn away. */
export const siteDropReasons = ['bot', 'prefetch', 'ip'] as const
export type SiteDropReason = (typeof siteDropReasons)[number]

export const dropReasons = ['unknown_site', ...siteDropReasons] as const
export type DropReason = (typeof dropReasons)[number]
