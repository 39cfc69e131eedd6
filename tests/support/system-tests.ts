/**
 * The tests that `npm run test:system` runs instead of `npm test`. They start whole servers, databases and root's commands as
 * separate processes. `npm test` keeps a test for each promise: nothing acknowledged is lost, and no alert is lost or sent
 * twice, if Belfry or PostgreSQL is killed or stopped.
 */
export const systemTests: readonly string[] = [
  'tests/cli/root.test.ts',
  'tests/cli/root-hostile.test.ts',
  'tests/faults/checks-stalled-node.test.ts',
  'tests/faults/cluster.test.ts',
  'tests/faults/data-folders.test.ts',
  'tests/faults/database-failover.test.ts',
  'tests/faults/database-hosts.test.ts',
  'tests/faults/database-silence.test.ts',
  'tests/faults/database-waits.test.ts',
  'tests/faults/heartbeats.test.ts',
  'tests/faults/maintenance-storm.test.ts',
  'tests/faults/move.test.ts',
  'tests/faults/pooler.test.ts',
  'tests/faults/start.test.ts',
  'tests/faults/status-pages.test.ts',
  'tests/faults/upgrade-kill.test.ts',
]
