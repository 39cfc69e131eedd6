/** The closed set of reasons for which an event is not counted, as sent in the X-Belfry-Dropped header. */

/** These depend on the website's settings, so its owner sees how many events each one drops. */
export const websiteDropReasons = ['bot', 'prefetch', 'ip'] as const
export type WebsiteDropReason = (typeof websiteDropReasons)[number]

export const dropReasons = ['unknown_site', ...websiteDropReasons] as const
export type DropReason = (typeof dropReasons)[number]
