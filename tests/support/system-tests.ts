/**
 * The tests that `npm test` leaves out and `npm run test:system` runs. They start servers, databases and proxies as separate processes, and
 * commands that root runs on another user's data folder. `npm test` keeps the tests of the main promises (events-storm, checks-storm, checks-database): if Belfry or PostgreSQL is
 * killed or stopped, no acknowledged event is lost, and no alert is lost or sent twice.
 */
export const systemTests: readonly string[] = [
  'tests/cli/embedded.test.ts',
  'tests/cli/move.test.ts',
  'tests/cli/root-hostile.test.ts',
  'tests/cli/root.test.ts',
  'tests/cli/upgrade.test.ts',
  'tests/faults/checks-hostile.test.ts',
  'tests/faults/checks-stalled-node.test.ts',
  'tests/faults/cluster.test.ts',
  'tests/faults/data-folders.test.ts',
  'tests/faults/database-failover.test.ts',
  'tests/faults/database-hosts.test.ts',
  'tests/faults/database-silence.test.ts',
  'tests/faults/database-waits.test.ts',
  'tests/faults/embedded-kill.test.ts',
  'tests/faults/heartbeats.test.ts',
  'tests/faults/maintenance-storm.test.ts',
  'tests/faults/move.test.ts',
  'tests/faults/pooler.test.ts',
  'tests/faults/rolling-restart.test.ts',
  'tests/faults/server.test.ts',
  'tests/faults/start.test.ts',
  'tests/faults/status-pages.test.ts',
  'tests/faults/upgrade-kill.test.ts',
  'tests/proxies.test.ts',
]
