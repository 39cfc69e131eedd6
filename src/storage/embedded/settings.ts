import { basename } from 'node:path'
import { type Layout, SOCKET_PORT } from './layout.ts'

// These values suit a machine with one or two cores and about 2 GB of memory that also runs the server.
const TUNING = {
  shared_buffers: '128MB',
  effective_cache_size: '512MB',
  work_mem: '8MB',
  maintenance_work_mem: '64MB',
  // This is enough for one server and the command line. A busy connection takes about 10 MB.
  max_connections: '60',
  // One parallel worker per query leaves the other core to checks and pages, and fits the 64 MB of /dev/shm in a container.
  max_parallel_workers_per_gather: '1',
  // SSDs are the norm. The default of 4 is for spinning disks and makes the planner avoid indexes.
  random_page_cost: '1.1',
  // With "try", PostgreSQL dies of SIGBUS in a container whose limits forbid the huge pages that the kernel offers.
  huge_pages: 'off',
} as const

const DURABILITY = {
  // PostgreSQL acknowledges a commit only when it is on disk.
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  // Trades a little CPU time for fewer bytes on slow disks. The embedded PostgreSQL is built without lz4.
  wal_compression: 'pglz',
  // Fewer checkpoints mean fewer full-page writes. After a crash, 512 MB of WAL still replay in seconds.
  checkpoint_timeout: '10min',
  max_wal_size: '512MB',
  timezone: 'UTC',
} as const

const LOGGING = {
  // There are seven files, one for each day of the week. PostgreSQL writes them itself, so no message is lost if the
  // server is killed.
  logging_collector: 'on',
  log_filename: 'postgres-%a.log',
  log_rotation_age: '1d',
  log_rotation_size: '0',
  log_truncate_on_rotation: 'on',
  log_file_mode: '0600',
  log_timezone: 'UTC',
  log_min_messages: 'warning',
  // Error details may quote rows with data of visitors and users.
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
} as const

/**
 * Settings are passed as arguments, because a configuration file could be half written on a full disk. `extraSettings` override
 * the defaults.
 */
export function formatSettingArguments(layout: Layout, extraSettings: Record<string, string>): string[] {
  const fixedSettings = {
    // PostgreSQL doesn't listen on the network.
    listen_addresses: '',
    hba_file: `../${basename(layout.hbaFile)}`,
    ident_file: `../${basename(layout.identFile)}`,
    port: String(SOCKET_PORT),
    // Paths are relative to PostgreSQL's working directory, because the path of a socket can have at most 107 bytes,
    // and the path of a data folder can be longer.
    unix_socket_directories: `../${basename(layout.socketFolder)}`,
    unix_socket_permissions: '0700',
    log_directory: `../${basename(layout.logFolder)}`,
  }
  const settings = { ...TUNING, ...DURABILITY, ...LOGGING, ...extraSettings, ...fixedSettings }
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}
