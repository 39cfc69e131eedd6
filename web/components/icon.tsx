import type { LucideIcon } from 'lucide-preact'

/** A decorative icon. The text beside it, or the `aria-label` of its button, says what it means. */
export function Icon({ icon: Glyph, size = 16 }: { icon: LucideIcon; size?: number }) {
  return <Glyph size={size} stroke-width={size > 20 ? 1.6 : 1.9} class="icon" aria-hidden="true" focusable="false" />
}
