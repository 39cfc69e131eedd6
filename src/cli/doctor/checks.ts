/** Checks what monitors need on this machine. */
import { findPingCommand } from '../../checker/probes/ping/commands.ts'
import { type Diagnosis, ok, warning } from './diagnosis.ts'

/** `path`: the search path for commands; the system's by default. */
export async function checkPing(path?: string): Promise<Diagnosis[]> {
  const found = await findPingCommand(path)
  if ('unavailable' in found) {
    const [why = '', ...remedy] = found.unavailable.split('. ')
    return [warning(`Ping monitors don't work: ${why}.`, remedy.join('. '))]
  }
  return [ok(`Ping monitors use ${found.command}.`)]
}
