import { basename } from 'node:path'
import { type Layout, SOCKET_PORT } from './layout.ts'

// For a machine of one or two cores and about 2 GB that also runs the server itself.
const TUNING = {
  shared_buffers: '128MB',
  effective_cache_size: '512MB',
  work_mem: '8MB',
  maintenance_work_mem: '64MB',
  // The pools of one server and its command line, with room to spare; each costs some 10 MB when busy.
  max_connections: '60',
  // One helper per query: the other core belongs to checks and pages. Also fits the 64 MB of /dev/shm in a container.
  max_parallel_workers_per_gather: '1',
  // Compiling costs more than it saves on queries of a few milliseconds.
  jit: 'off',
  // Solid state is the rule; the default of 4 shuns indexes.
  random_page_cost: '1.1',
  // "try" can end in SIGBUS in a container whose limits forbid what the kernel offers.
  huge_pages: 'off',
} as const

const DURABILITY = {
  // Acknowledged means on disk.
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  // Trades a little processor time for fewer bytes on slow disks. lz4 is not in these binaries.
  wal_compression: 'pglz',
  // Fewer checkpoints mean fewer full pages; 512 MB of log is still replayed in seconds after a crash.
  checkpoint_timeout: '10min',
  max_wal_size: '512MB',
  timezone: 'UTC',
} as const

const LOGGING = {
  // Seven files, each overwritten after a week; written by PostgreSQL itself, so they survive a killed server.
  logging_collector: 'on',
  log_filename: 'postgres-%a.log',
  log_rotation_age: '1d',
  log_rotation_size: '0',
  log_truncate_on_rotation: 'on',
  log_file_mode: '0600',
  log_timezone: 'UTC',
  log_min_messages: 'warning',
  // Rows quoted in details may hold what visitors and users typed.
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
} as const

/** As arguments, not as a file: nothing to write on a full disk, and nothing half-written. `extra` wins. */
export function settingArguments(layout: Layout, extra: Record<string, string>): string[] {
  const fixed = {
    // No network at all: whoever can enter the socket's folder is trusted.
    listen_addresses: '',
    port: String(SOCKET_PORT),
    // Relative to the cluster, where PostgreSQL works: a socket's path may have 107 bytes, a data folder's more.
    unix_socket_directories: `../${basename(layout.socketFolder)}`,
    unix_socket_permissions: '0700',
    log_directory: `../${basename(layout.logFolder)}`,
  }
  const settings = { ...TUNING, ...DURABILITY, ...LOGGING, ...extra, ...fixed }
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}
