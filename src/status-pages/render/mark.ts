/** Belfry's mark, a bell tower, as in `web/public/icon.svg`. The style sheet fills it with the accent color of the page. */

export const markPaths = {
  tower: 'M16 2 6 9v4h20V9zM8 15v12H5v3h22v-3h-3V15h-3v12H11V15z',
  bell: 'M16 15a4 4 0 0 0-4 4v3l-1 2h10l-1-2v-3a4 4 0 0 0-4-4zm-1.5 10a1.5 1.5 0 0 0 3 0z',
} as const
export const markColors = { tower: '#4f46e5', bell: '#f59e0b' } as const

/** It is beside a text, so screen readers skip it. */
export const renderMark = () =>
  `<svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><path d="${markPaths.tower}"/><path class="bell" d="${markPaths.bell}"/></svg>`
