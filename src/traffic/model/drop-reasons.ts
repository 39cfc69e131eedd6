/** The closed set of reasons for which an event is not counted, as sent in the X-Belfry-Dropped header. */

/** Reasons that depend on the website's settings. The website's owner sees how many events were dropped for each of them. */
export const websiteDropReasons = ['bot', 'prefetch', 'spam_referrer', 'ip'] as const
export type WebsiteDropReason = (typeof websiteDropReasons)[number]

/**
 * Two reasons are not counted per website. The first event with the id of a `duplicate` is in the statistics, so nothing is missing.
 * An event for an `unknown_site` belongs to no website.
 */
export const dropReasons = ['unknown_site', 'duplicate', ...websiteDropReasons] as const
export type DropReason = (typeof dropReasons)[number]

export function isWebsiteDropReason(reason: DropReason): reason is WebsiteDropReason {
  return (websiteDropReasons as readonly DropReason[]).includes(reason)
}
