/** What monitors need of this machine. */
import { findPing } from '../../checker/probes/ping/commands.ts'
import { advice, type Finding, ok } from './finding.ts'

/** `path`: where commands are looked for; the usual folders unless said otherwise. */
export async function checkPing(path?: string): Promise<Finding[]> {
  const found = await findPing(path)
  if ('missing' in found) {
    const [why = '', ...remedy] = found.missing.split('. ')
    return [advice(`Hosts cannot be pinged: ${why}.`, remedy.join('. '))]
  }
  return [ok(`Hosts can be pinged, with ${found.command}.`)]
}
