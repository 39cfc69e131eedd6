/** The icons of status pages. Each page defines them once and refers to them, which keeps pages with 100 monitors small. */
import type { OverallState, PostState, PublicMonitorState } from '../../shared/status-pages.ts'

/** Each shape is in a box of 20 × 20. Icons of states are filled, so that they are easy to tell apart at 16 pixels. */
const shapes = {
  up: '<circle cx="10" cy="10" r="9" fill="currentColor"/><path d="m6 10.4 2.7 2.7L14 7.6" class="cut"/>',
  down: '<circle cx="10" cy="10" r="9" fill="currentColor"/><path d="m7 7 6 6m0-6-6 6" class="cut"/>',
  alert:
    '<path d="M8.4 2.3a1.9 1.9 0 0 1 3.2 0l7.1 12.6a1.9 1.9 0 0 1-1.6 2.9H2.9a1.9 1.9 0 0 1-1.6-2.9z" fill="currentColor"/><path d="M10 7v4.2m0 3v.1" class="cut"/>',
  maintenance:
    '<path d="M18.3 6a5.2 5.2 0 0 1-7 5.9l-5.9 5.9a2 2 0 0 1-3-3l5.9-5.9a5.2 5.2 0 0 1 6.1-7l-2.8 2.9.3 2.9 2.9.3z" fill="currentColor"/>',
  pending: '<circle cx="10" cy="10" r="8" class="ring"/><path d="M10 5.5V10l3 1.7" class="ring"/>',
  paused: '<circle cx="10" cy="10" r="8" class="ring"/><path d="M8 7.2v5.6m4-5.6v5.6" class="ring"/>',
  bell: '<path d="M8.3 17a2 2 0 0 0 3.4 0M2.8 13.1c-.5.6-.1 1.4.7 1.4h13c.8 0 1.2-.8.7-1.4C15.7 11.5 15 10.2 15 7A5 5 0 0 0 5 7c0 3.2-.7 4.5-2.2 6.1z" class="line"/>',
  feed: '<path d="M3.5 9.2a7.3 7.3 0 0 1 7.3 7.3M3.5 3.5a13 13 0 0 1 13 13M4.3 15.7v.1" class="line"/>',
  left: '<path d="M12 5.5 7.5 10l4.5 4.5" class="line"/>',
  right: '<path d="M8 5.5 12.5 10 8 14.5" class="line"/>',
  chevron: '<path d="m5.5 8 4.5 4.5L14.5 8" class="line"/>',
} as const
export type StatusIconName = keyof typeof shapes

export const monitorStateIcons: Record<PublicMonitorState, StatusIconName> = {
  up: 'up',
  down: 'down',
  maintenance: 'maintenance',
  pending: 'pending',
  paused: 'paused',
}

export const overallStateIcons: Record<OverallState, StatusIconName> = {
  up: 'up',
  partly_down: 'alert',
  down: 'down',
  incident: 'alert',
  maintenance: 'maintenance',
  unknown: 'pending',
}

export const postStateIcons: Record<PostState, StatusIconName> = {
  investigating: 'alert',
  identified: 'alert',
  monitoring: 'pending',
  resolved: 'up',
}

export const statusIcon = (name: StatusIconName) =>
  `<svg class="icon" aria-hidden="true"><use href="#i-${name}"/></svg>`

/** Defines the icons. `moreDefinitionsHtml` has other shapes that the page refers to. */
export function renderSymbols(moreDefinitionsHtml = ''): string {
  const symbolsHtml = Object.entries(shapes)
    .map(([name, shape]) => `<symbol id="i-${name}" viewBox="0 0 20 20">${shape}</symbol>`)
    .join('')
  return `<svg class="symbols" width="0" height="0" aria-hidden="true"><defs>${symbolsHtml}${moreDefinitionsHtml}</defs></svg>`
}
