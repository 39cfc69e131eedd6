/** The closed set of reasons for which an event is not counted, as sent in the X-Belfry-Dropped header. */

/** Reasons that depend on the website's settings. The website's owner sees how many events were dropped for each of them. */
export const websiteDropReasons = ['bot', 'prefetch', 'spam_referrer', 'ip'] as const
export type WebsiteDropReason = (typeof websiteDropReasons)[number]

export const dropReasons = ['unknown_site', ...websiteDropReasons] as const
export type DropReason = (typeof dropReasons)[number]
