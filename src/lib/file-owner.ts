import { chown, stat } from 'node:fs/promises'

/** Root may run a command for a server that runs as another user, who must be able to use the files that the command creates. */
export async function chownToOwnerOf(folder: string, path: string): Promise<void> {
  if (process.geteuid?.() !== 0) return
  const { uid, gid } = await stat(folder)
  await chown(path, uid, gid)
}
