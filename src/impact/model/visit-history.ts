/**
 * The visits of one website, or of one of its hosts, as all statistics of this folder read them: visits begun per slot of
 * 5 minutes, oldest first. Times are numbers of slots since the beginning of the history, with fractions: 1.5 is 7 min 30 s.
 */
export const SLOT_MINUTES = 5
export const SLOTS_PER_HOUR = 12
export const SLOTS_PER_DAY = 288
export const SLOTS_PER_WEEK = 2016
export const HOURS_PER_WEEK = 168

export interface VisitHistory {
  /** Visits begun in each slot. The first slot is the one of the first visit that is known, or of the oldest day read. */
  counts: ArrayLike<number>
  /** 1 if the slot says nothing about usual traffic: an incident was open, or Belfry itself could not count. */
  excluded: ArrayLike<number>
  /**
   * Hour of the week of each slot in the website's time zone: 0 is Monday from 00:00 to 01:00. Local hours make the
   * profile follow daylight saving time. Has at least one element for every slot up to the end of what is predicted.
   */
  hourOfWeek: ArrayLike<number>
}
