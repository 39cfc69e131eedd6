/** Checks what monitors need on this machine. */
import { findPingCommand } from '../../checker/probes/ping/commands.ts'
import { type Diagnosis, ok, warning } from './diagnosis.ts'

/** `path` replaces the system's search path for commands. */
export async function checkPing(path?: string): Promise<Diagnosis[]> {
  const ping = await findPingCommand(path)
  if ('unavailable' in ping) {
    const [reason = '', ...remedy] = ping.unavailable.split('. ')
    return [warning(`Ping monitors don't work: ${reason}.`, remedy.join('. '))]
  }
  return [ok(`Ping monitors use ${ping.command}.`)]
}
