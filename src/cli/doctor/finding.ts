import { StartupError } from '../../lib/startup-error.ts'

const marks = { ok: '✓', advice: '!', broken: '✗' } as const

export interface Finding {
  kind: keyof typeof marks
  text: string
}

export const ok = (text: string): Finding => ({ kind: 'ok', text })

/** Works, and could be better. */
export const advice = (text: string, remedy: string): Finding => ({ kind: 'advice', text: `${text} ${remedy}` })

/** Does not work until this is done. */
export const broken = (text: string, remedy: string): Finding => ({ kind: 'broken', text: `${text} ${remedy}` })

export function formatFinding({ kind, text }: Finding): string {
  return `${marks[kind]} ${text.replace(/\s*\n\s*/g, ' ')}`
}

/** A check that fails in a way it did not foresee is a finding too: the others go on. */
export function findingOf(error: unknown, about: string): Finding {
  if (error instanceof StartupError) return broken(error.message, error.hint)
  return broken(`${about} could not be checked: ${(error as Error).message}.`, 'Mend that, then run doctor again.')
}
