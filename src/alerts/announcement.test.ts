import { describe, expect, it } from 'vitest'
import {
  type Announcement,
  type DelayedAlertFacts,
  decideAcknowledgement,
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
const openIncident: IncidentFacts = {
  teamId: 1,
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
  acknowledgedAt: null,
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
const noAnnouncement: Announcement = { action: 'hold' }
const routerCheck: Announcement = { action: 'check', monitorId: 9 }
const shopCheck: Announcement = { action: 'check', monitorId: 2 }
const routerLink: Announcement = { action: 'link', parentMonitorId: 9, parentIncidentId: 90 }

describe('an ongoing incident', () => {
  it.each<[string, Partial<IncidentFacts>, Announcement]>([
    ['is announced', {}, announcement],
    ['is announced only once', { announcedAt: later(-5) }, noAnnouncement],
    [
      'is announced without alerts if it has no channels, so that channels added later get no alert',
      { channels: [] },
      { ...announcement, alerts: [] },
    ],
    ['is announced with its first reminder', { remindEveryMinutes: 30 }, { ...announcement, remindAt: later(1_800) }],
    [
      'is announced without reminders, and only to channels without a delay, if it is acknowledged',
      { acknowledgedAt: later(-5), remindEveryMinutes: 30 },
      { ...announcement, alerts: [{ event: 'down', channelId: MAIL, delayedUntil: null }] },
    ],
    ['is held during a maintenance', { isInMaintenance: true }, noAnnouncement],
    ['is announced after a maintenance', { isDuringMaintenance: true }, announcement],
    ['is held if Belfry itself seems to cause the silence', { diagnosis: 'collector' }, noAnnouncement],
    ['is announced for every other diagnosis', { diagnosis: 'site_silent' }, announcement],
  ])('%s', (_, facts, expected) => {
    expect(decideAnnouncement({ ...openIncident, ...facts })).toEqual(expected)
  })

  describe('of a monitor that depends on another one', () => {
    it.each<[string, Partial<ParentFacts>, Partial<IncidentFacts>, Announcement]>([
      ['is announced if the parent is paused', { status: 'paused' }, {}, announcement],
      ['is announced if the parent is pending', { status: 'pending' }, {}, announcement],
      ['waits for a check of the parent', {}, {}, routerCheck],
      ['waits for the first check of the parent', { lastCheckedAt: null }, {}, routerCheck],
      ['is announced if a later check found the parent up', { lastCheckedAt: later(-60) }, {}, announcement],
      ['waits for the retries of the parent', { failures: 1, lastCheckedAt: now }, {}, noAnnouncement],
      ['does not wait for a heartbeat, which cannot be checked early', { type: 'heartbeat' }, {}, announcement],
      ['waits for at most 30 s and the retries of the parent', {}, { detectedAt: later(-59) }, routerCheck],
      ['is announced after 30 s and the retries of the parent', {}, { detectedAt: later(-60) }, announcement],
      [
        'is announced after 30 s and the retries of the parent, even if the parent fails',
        { failures: 1 },
        { detectedAt: later(-60) },
        announcement,
      ],
      [
        'waits longer if the timeout of the parent is longer',
        { timeoutSeconds: 30 },
        { detectedAt: later(-99) },
        routerCheck,
      ],
      ['waits for at most 5 minutes', { retries: 99 }, { detectedAt: later(-299) }, routerCheck],
      ['is announced after 5 minutes', { retries: 99 }, { detectedAt: later(-300) }, announcement],
      ['is held during a maintenance, without a check of the parent', {}, { isInMaintenance: true }, noAnnouncement],
    ])('%s', (_, parent, facts, expected) => {
      expect(decideAnnouncement({ ...openIncident, ...facts, parent: { ...router, ...parent } })).toEqual(expected)
    })

    it.each<[string, Partial<IncidentFacts>, Announcement]>([
      ['is linked to the incident of the parent', {}, routerLink],
      ['is not linked again', { linkedMonitorId: 9, linkedIncidentId: 90 }, noAnnouncement],
      ['is linked to the next incident of the parent', { linkedMonitorId: 9, linkedIncidentId: 89 }, routerLink],
      ['is linked to a new parent', { linkedMonitorId: 5, linkedIncidentId: 50 }, routerLink],
      [
        'is held, even after a day,',
        { detectedAt: later(-86_400), linkedMonitorId: 9, linkedIncidentId: 90 },
        noAnnouncement,
      ],
    ])('%s while the parent is down', (_, facts, expected) => {
      expect(decideAnnouncement({ ...openIncident, ...facts, parent: routerDown })).toEqual(expected)
    })

    it.each<[string, Partial<ParentFacts>, Partial<IncidentFacts>, Announcement]>([
      ['waits for a check of its own monitor', {}, { lastCheckedAt: later(-15) }, shopCheck],
      ['waits for a check that is later than the recovery', {}, { lastCheckedAt: later(-10) }, shopCheck],
      ['is announced if a later check has found its monitor down', {}, { lastCheckedAt: later(-9) }, announcement],
      ['is held if its monitor is a heartbeat', {}, { lastCheckedAt: later(-15), type: 'heartbeat' }, noAnnouncement],
      ['is held if the parent fails again', { failures: 1 }, { lastCheckedAt: later(-9) }, noAnnouncement],
      ['waits up to 60 s for a check', {}, { lastCheckedAt: null, at: later(49) }, shopCheck],
      [
        'is announced after 60 s without a check',
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
    ])('after the recovery of the parent %s', (_, parent, facts, expected) => {
      const recoveredRouter = { ...router, statusChangedAt: later(-10), lastCheckedAt: later(-10), ...parent }
      const linkedFacts = { detectedAt: later(-600), linkedMonitorId: 9, linkedIncidentId: 90 }
      expect(decideAnnouncement({ ...openIncident, ...linkedFacts, ...facts, parent: recoveredRouter })).toEqual(
        expected,
      )
    })
  })
})

describe('an incident that has ended', () => {
  const endedIncident: IncidentFacts = { ...openIncident, resolvedAt: now }
  const announcedIncident: IncidentFacts = {
    ...endedIncident,
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
    expect(decideAnnouncement(announcedIncident)).toEqual(recovery(later(-50), MAIL))
  })

  it('is announced during a maintenance, too, and while the parent is down', () => {
    const facts = { ...announcedIncident, isInMaintenance: true, parent: routerDown }
    expect(decideAnnouncement(facts)).toEqual(recovery(later(-50), MAIL))
  })

  it('is announced to all channels if it lasted longer than alerts are kept', () => {
    const since = later(-366 * 86_400)
    expect(decideAnnouncement({ ...announcedIncident, announcedAt: since })).toEqual(recovery(since, MAIL, PAGER))
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
    [
      'is announced only to channels without a delay if it was acknowledged',
      { acknowledgedAt: later(-5) },
      {
        ...lateAnnouncement,
        alerts: [
          { event: 'down', channelId: MAIL, delayedUntil: null },
          { event: 'recovered', channelId: MAIL, delayedUntil: null },
        ],
      },
    ],
    ['is not announced if it ended within the maintenance', { isInMaintenance: true }, noAnnouncement],
    ['is not announced if it began after the maintenance', { isDuringMaintenance: false }, noAnnouncement],
    ['is not announced if the parent is down', { parent: routerDown }, noAnnouncement],
    ['is not announced if the parent was down', { parent: router, linkedMonitorId: 9 }, noAnnouncement],
    ['is announced if the parent was up all the time', { parent: router }, lateAnnouncement],
    ['is not announced if Belfry itself seemed to cause the silence', { diagnosis: 'collector' }, noAnnouncement],
  ])('and was not announced yet %s', (_, facts, expected) => {
    expect(decideAnnouncement({ ...endedIncident, isDuringMaintenance: true, ...facts })).toEqual(expected)
  })
})

describe('a warning about an expiry', () => {
  it('is sent to every channel without delay', () => {
    expect(decideExpiryAlerts(openIncident)).toEqual([
      { event: 'certificate', channelId: MAIL, delayedUntil: null },
      { event: 'certificate', channelId: PAGER, delayedUntil: null },
    ])
  })

  it('waits for the end of a maintenance', () => {
    expect(decideExpiryAlerts({ ...openIncident, isInMaintenance: true })).toEqual([
      { event: 'certificate', channelId: MAIL, delayedUntil: later(60) },
      { event: 'certificate', channelId: PAGER, delayedUntil: later(60) },
    ])
  })
})

describe('an alert whose delay has ended', () => {
  const delayedAlert: DelayedAlertFacts = {
    delayedUntil: later(-1),
    resolvedAt: null,
    acknowledgedAt: null,
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
    [
      'is skipped before the end of its delay if the incident was acknowledged',
      { delayedUntil: later(9), acknowledgedAt: now },
      { action: 'skip' },
    ],
    [
      'is skipped, even during a maintenance, if the incident was acknowledged',
      { acknowledgedAt: later(-9), isInMaintenance: true },
      { action: 'skip' },
    ],
    ['is skipped if the channel is no longer assigned', { isAssigned: false }, { action: 'skip' }],
    [
      'is skipped, even during a maintenance, if the channel is no longer assigned',
      { isAssigned: false, isInMaintenance: true },
      { action: 'skip' },
    ],
    ['waits during a maintenance', { isInMaintenance: true }, { action: 'delay', until: later(60) }],
    [
      'waits a minute at a time for the end of a maintenance',
      { isInMaintenance: true, maintenanceUntil: later(61) },
      { action: 'delay', until: later(60) },
    ],
    [
      'waits for the end of a maintenance that ends within a minute',
      { isInMaintenance: true, maintenanceUntil: later(9) },
      { action: 'delay', until: later(9) },
    ],
    [
      'waits a minute if the maintenance lasts longer than planned',
      { isInMaintenance: true, maintenanceUntil: now },
      { action: 'delay', until: later(60) },
    ],
    ['is sent after a maintenance has ended', { maintenanceUntil: later(-9) }, { action: 'send' }],
  ])('%s', (_, facts, expected) => {
    expect(decideDelayedAlert({ ...delayedAlert, ...facts }, now)).toEqual(expected)
  })
})

describe('a request to acknowledge an incident', () => {
  it.each<[string, { resolvedAt: Date | null; acknowledgedAt: Date | null }, string]>([
    ['acknowledges an ongoing incident', { resolvedAt: null, acknowledgedAt: null }, 'acknowledge'],
    ['changes nothing the second time', { resolvedAt: null, acknowledgedAt: now }, 'already acknowledged'],
    [
      'changes nothing if it is repeated after the end',
      { resolvedAt: now, acknowledgedAt: now },
      'already acknowledged',
    ],
    ['comes too late after the end', { resolvedAt: now, acknowledgedAt: null }, 'resolved'],
  ])('%s', (_, incident, expected) => {
    expect(decideAcknowledgement(incident)).toBe(expected)
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
    ['begin with a single alert', { lastSentAt: null, lastSentMonitorId: null }, noStorm],
    ['begin with a single alert again after a minute without messages', { lastSentAt: later(-60) }, noStorm],
    [
      'are sent one by one if they are about the monitor of the last message',
      { isAboutOtherMonitors: false },
      oneByOne,
    ],
    ['are not grouped if none is due', { dueAlerts: [] }, oneByOne],
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
      'two messages of similar length for one more monitor',
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
