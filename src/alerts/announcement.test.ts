import { describe, expect, it } from 'vitest'
import {
  type Announcement,
  type DelayedAlertFacts,
  decideAnnouncement,
  decideDelayedAlert,
  decideExpiryAlerts,
  decideGrouping,
  type IncidentFacts,
  type ParentFacts,
  type QueueFacts,
} from './announcement.ts'

const now = new Date('2026-01-05T10:00:00Z')
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000)
const MAIL = 7
const PAGER = 8

/** The shop went down a minute ago, and depends on no other monitor. A check has just ended. */
const down: IncidentFacts = {
  userId: 1,
  monitorId: 2,
  at: now,
  friendlyName: 'Shop',
  url: 'https://shop.example/',
  type: 'http',
  remindEveryMinutes: 0,
  lastCheckedAt: now,
  isInMaintenance: false,
  parent: null,
  channels: [
    { channelId: MAIL, delayMinutes: 0, wasAlerted: false },
    { channelId: PAGER, delayMinutes: 10, wasAlerted: false },
  ],
  incidentId: 3,
  detail: 'Connection refused',
  startedAt: later(-60),
  detectedAt: now,
  resolvedAt: null,
  announcedAt: null,
  remindAt: null,
  isDuringMaintenance: false,
  diagnosis: null,
  linkedMonitorId: null,
  linkedIncidentId: null,
}

/** The router is up, and was checked before the shop went down. It gets 30 s to be checked, and 15 s for each retry. */
const router: ParentFacts = {
  monitorId: 9,
  type: 'ping',
  status: 'up',
  statusChangedAt: later(-86_400),
  failures: 0,
  lastCheckedAt: later(-61),
  retries: 2,
  retryIntervalSeconds: 5,
  timeoutSeconds: null,
  incidentId: null,
}
const routerDown: ParentFacts = { ...router, status: 'down', failures: 3, lastCheckedAt: now, incidentId: 90 }

const announcement: Announcement = {
  action: 'announce',
  announcedAt: now,
  remindAt: null,
  alerts: [
    { event: 'down', channelId: MAIL, delayedUntil: null },
    { event: 'down', channelId: PAGER, delayedUntil: later(600) },
  ],
}
const hold: Announcement = { action: 'hold' }
const checkRouter: Announcement = { action: 'check', monitorId: 9 }
const checkShop: Announcement = { action: 'check', monitorId: 2 }
const linkToRouter: Announcement = { action: 'link', parentMonitorId: 9, parentIncidentId: 90 }

describe('an open incident', () => {
  it.each<[string, Partial<IncidentFacts>, Announcement]>([
    ['is announced', {}, announcement],
    ['is announced only once', { announcedAt: later(-5) }, hold],
    [
      'is announced without channels, so that it has no alerts later',
      { channels: [] },
      { ...announcement, alerts: [] },
    ],
    ['is announced with its first reminder', { remindEveryMinutes: 30 }, { ...announcement, remindAt: later(1_800) }],
    ['is held during a maintenance', { isInMaintenance: true }, hold],
    ['is announced after a maintenance', { isDuringMaintenance: true }, announcement],
    ['is held if Belfry itself seems to cause the silence', { diagnosis: 'collector' }, hold],
    ['is announced for every other diagnosis', { diagnosis: 'site_silent' }, announcement],
  ])('%s', (_, facts, expected) => {
    expect(decideAnnouncement({ ...down, ...facts })).toEqual(expected)
  })

  describe('of a monitor that depends on another one', () => {
    it.each<[string, Partial<ParentFacts>, Partial<IncidentFacts>, Announcement]>([
      ['is announced if the parent is paused', { status: 'paused' }, {}, announcement],
      ['is announced if the parent is pending', { status: 'pending' }, {}, announcement],
      ['waits for a check of the parent', {}, {}, checkRouter],
      ['waits for the first check of the parent', { lastCheckedAt: null }, {}, checkRouter],
      ['is announced if the parent was found up since', { lastCheckedAt: later(-60) }, {}, announcement],
      ['waits for the retries of the parent', { failures: 1, lastCheckedAt: now }, {}, hold],
      ['does not wait for a heartbeat, which cannot be checked early', { type: 'heartbeat' }, {}, announcement],
      ['waits for at most 30 s and the retries of the parent', {}, { detectedAt: later(-59) }, checkRouter],
      ['is announced after that time', {}, { detectedAt: later(-60) }, announcement],
      [
        'is announced after that time, even if the parent fails',
        { failures: 1 },
        { detectedAt: later(-60) },
        announcement,
      ],
      ['counts the timeout of the parent', { timeoutSeconds: 30 }, { detectedAt: later(-99) }, checkRouter],
      ['waits for at most 5 minutes', { retries: 99 }, { detectedAt: later(-299) }, checkRouter],
      ['waits for no longer than 5 minutes', { retries: 99 }, { detectedAt: later(-300) }, announcement],
      ['is held during a maintenance, without a check', {}, { isInMaintenance: true }, hold],
    ])('%s', (_, parent, facts, expected) => {
      expect(decideAnnouncement({ ...down, ...facts, parent: { ...router, ...parent } })).toEqual(expected)
    })

    it.each<[string, Partial<IncidentFacts>, Announcement]>([
      ['is linked to the incident of the parent', {}, linkToRouter],
      ['is linked once', { linkedMonitorId: 9, linkedIncidentId: 90 }, hold],
      ['is linked to the next incident of the parent', { linkedMonitorId: 9, linkedIncidentId: 89 }, linkToRouter],
      ['is linked to the new parent', { linkedMonitorId: 5, linkedIncidentId: 50 }, linkToRouter],
      [
        'is held however long the parent is down',
        { detectedAt: later(-86_400), linkedMonitorId: 9, linkedIncidentId: 90 },
        hold,
      ],
    ])('that is down %s', (_, facts, expected) => {
      expect(decideAnnouncement({ ...down, ...facts, parent: routerDown })).toEqual(expected)
    })

    it.each<[string, Partial<ParentFacts>, Partial<IncidentFacts>, Announcement]>([
      ['waits for a check of its own', {}, { lastCheckedAt: later(-15) }, checkShop],
      ['waits for a check after that time', {}, { lastCheckedAt: later(-10) }, checkShop],
      ['is announced if a check has found it down', {}, { lastCheckedAt: later(-9) }, announcement],
      ['is held for a heartbeat', {}, { lastCheckedAt: later(-15), type: 'heartbeat' }, hold],
      ['is held if the parent fails again', { failures: 1 }, { lastCheckedAt: later(-9) }, hold],
      ['waits from the recovery of the parent', {}, { lastCheckedAt: null, at: later(49) }, checkShop],
      [
        'is announced if no check ran in time',
        {},
        { lastCheckedAt: null, at: later(50) },
        {
          ...announcement,
          announcedAt: later(50),
          alerts: [
            { event: 'down', channelId: MAIL, delayedUntil: null },
            { event: 'down', channelId: PAGER, delayedUntil: later(650) },
          ],
        },
      ],
    ])('that was down until 10 s ago %s', (_, parent, facts, expected) => {
      const recovered = { ...router, statusChangedAt: later(-10), lastCheckedAt: later(-10), ...parent }
      const linked = { detectedAt: later(-600), linkedMonitorId: 9, linkedIncidentId: 90 }
      expect(decideAnnouncement({ ...down, ...linked, ...facts, parent: recovered })).toEqual(expected)
    })
  })
})

describe('an incident that has ended', () => {
  const ended: IncidentFacts = { ...down, resolvedAt: now }
  const announced: IncidentFacts = {
    ...ended,
    announcedAt: later(-50),
    channels: [
      { channelId: MAIL, delayMinutes: 0, wasAlerted: true },
      { channelId: PAGER, delayMinutes: 0, wasAlerted: false },
    ],
  }
  const recovery = (announcedAt: Date, ...channelIds: number[]): Announcement => ({
    action: 'announce',
    announcedAt,
    remindAt: null,
    alerts: channelIds.map((channelId) => ({ event: 'recovered', channelId, delayedUntil: null })),
  })

  it('is announced to the channels that got an alert about it', () => {
    expect(decideAnnouncement(announced)).toEqual(recovery(later(-50), MAIL))
  })

  it('is announced during a maintenance, too, and while the parent is down', () => {
    const facts = { ...announced, isInMaintenance: true, parent: routerDown }
    expect(decideAnnouncement(facts)).toEqual(recovery(later(-50), MAIL))
  })

  it('is announced to all channels if it lasted longer than alerts are kept', () => {
    const since = later(-366 * 86_400)
    expect(decideAnnouncement({ ...announced, announcedAt: since })).toEqual(recovery(since, MAIL, PAGER))
  })

  const lateAnnouncement: Announcement = {
    action: 'announce',
    announcedAt: now,
    remindAt: null,
    alerts: [
      { event: 'down', channelId: MAIL, delayedUntil: null },
      { event: 'down', channelId: PAGER, delayedUntil: later(600) },
      { event: 'recovered', channelId: MAIL, delayedUntil: null },
      { event: 'recovered', channelId: PAGER, delayedUntil: null },
    ],
  }
  it.each<[string, Partial<IncidentFacts>, Announcement]>([
    ['is announced with its recovery if it outlasted its maintenance', {}, lateAnnouncement],
    ['is announced without reminders', { remindEveryMinutes: 5 }, lateAnnouncement],
    ['is not announced if it ended within the maintenance', { isInMaintenance: true }, hold],
    ['is not announced if it began after the maintenance', { isDuringMaintenance: false }, hold],
    ['is not announced if the parent is down', { parent: routerDown }, hold],
    ['is not announced if the parent was down', { parent: router, linkedMonitorId: 9 }, hold],
    ['is announced if the parent was up all the time', { parent: router }, lateAnnouncement],
    ['is not announced if Belfry itself seemed to cause the silence', { diagnosis: 'collector' }, hold],
  ])('and was not announced yet %s', (_, facts, expected) => {
    expect(decideAnnouncement({ ...ended, isDuringMaintenance: true, ...facts })).toEqual(expected)
  })
})

describe('a warning about an expiry', () => {
  it('is sent to every channel without delay', () => {
    expect(decideExpiryAlerts(down)).toEqual([
      { event: 'certificate', channelId: MAIL, delayedUntil: null },
      { event: 'certificate', channelId: PAGER, delayedUntil: null },
    ])
  })

  it('waits for the end of a maintenance', () => {
    expect(decideExpiryAlerts({ ...down, isInMaintenance: true })).toEqual([
      { event: 'certificate', channelId: MAIL, delayedUntil: later(60) },
      { event: 'certificate', channelId: PAGER, delayedUntil: later(60) },
    ])
  })
})

describe('an alert whose delay has ended', () => {
  const delayed: DelayedAlertFacts = {
    delayedUntil: later(-1),
    resolvedAt: null,
    isAssigned: true,
    isInMaintenance: false,
    maintenanceUntil: null,
  }
  it.each<[string, Partial<DelayedAlertFacts>, ReturnType<typeof decideDelayedAlert>]>([
    ['is sent', {}, { action: 'send' }],
    ['is skipped if the incident ended within the delay', { resolvedAt: later(-2) }, { action: 'skip' }],
    ['is sent if the incident ended at the end of the delay', { resolvedAt: later(-1) }, { action: 'send' }],
    [
      'is skipped before the end of its delay if the incident has ended',
      { delayedUntil: later(9), resolvedAt: now },
      { action: 'skip' },
    ],
    ['is skipped if the channel is no longer assigned', { isAssigned: false }, { action: 'skip' }],
    ['is skipped rather than delayed', { isAssigned: false, isInMaintenance: true }, { action: 'skip' }],
    ['waits during a maintenance', { isInMaintenance: true }, { action: 'delay', until: later(60) }],
    [
      'waits a minute for a later end',
      { isInMaintenance: true, maintenanceUntil: later(61) },
      { action: 'delay', until: later(60) },
    ],
    [
      'waits for an end within a minute',
      { isInMaintenance: true, maintenanceUntil: later(9) },
      { action: 'delay', until: later(9) },
    ],
    [
      'waits if the planned end has passed',
      { isInMaintenance: true, maintenanceUntil: now },
      { action: 'delay', until: later(60) },
    ],
    ['does not wait for the maintenance of the past', { maintenanceUntil: later(-9) }, { action: 'send' }],
  ])('%s', (_, facts, expected) => {
    expect(decideDelayedAlert({ ...delayed, ...facts }, now)).toEqual(expected)
  })
})

describe('alerts of a channel', () => {
  const SHOP = 2
  /** The channel got a message about the shop 10 s ago, and two alerts about other monitors are due. */
  const storm: QueueFacts = {
    groupsAlerts: true,
    lastSentAt: later(-10),
    lastSentMonitorId: SHOP,
    dueAlerts: [
      { id: 11, monitorId: 3 },
      { id: 12, monitorId: 4 },
    ],
    isAboutOtherMonitors: true,
  }
  const noStorm = { postponed: null, messages: [], singleMonitorId: undefined }
  const oneByOne = { postponed: null, messages: [], singleMonitorId: SHOP }

  it.each<[string, Partial<QueueFacts>, ReturnType<typeof decideGrouping>]>([
    ['are sent one by one if the user wants that', { groupsAlerts: false }, noStorm],
    ['begin with a single one', { lastSentAt: null, lastSentMonitorId: null }, noStorm],
    ['begin with a single one after a minute', { lastSentAt: later(-60) }, noStorm],
    ['are sent one by one about the monitor of the last message', { isAboutOtherMonitors: false }, oneByOne],
    ['are left alone if none is due', { dueAlerts: [] }, oneByOne],
    [
      'wait for the next summary',
      {},
      { postponed: { alertIds: [11, 12], until: later(20) }, messages: [], singleMonitorId: SHOP },
    ],
    [
      'are combined 30 s after the last message',
      { lastSentAt: later(-30) },
      { postponed: null, messages: [[11, 12]], singleMonitorId: SHOP },
    ],
    [
      'are combined after a summary, too',
      { lastSentAt: later(-59.9), lastSentMonitorId: null },
      { postponed: null, messages: [[11, 12]], singleMonitorId: null },
    ],
  ])('%s', (_, facts, expected) => {
    expect(decideGrouping({ ...storm, ...facts }, now, 20)).toEqual(expected)
  })

  const listAlerts = (monitorIds: number[]) => monitorIds.map((monitorId, index) => ({ id: index + 1, monitorId }))
  it.each<[string, number[], number, number[][]]>([
    ['one message for as many monitors as it can list', [1, 2, 3], 3, [[1, 2, 3]]],
    [
      'two messages of similar length for one more',
      [1, 2, 3, 4],
      3,
      [
        [1, 2],
        [3, 4],
      ],
    ],
    [
      'all alerts about a monitor in the same message',
      [1, 2, 3, 4, 1, 3],
      3,
      [
        [1, 5, 2],
        [3, 6, 4],
      ],
    ],
    [
      'no more than four messages',
      [1, 2, 3, 4, 5, 6, 7, 8],
      1,
      [
        [1, 2],
        [3, 4],
        [5, 6],
        [7, 8],
      ],
    ],
  ])('become %s', (_, monitorIds, maxMonitors, messages) => {
    const facts = { ...storm, lastSentAt: later(-30), dueAlerts: listAlerts(monitorIds) }
    expect(decideGrouping(facts, now, maxMonitors).messages).toEqual(messages)
  })
})
