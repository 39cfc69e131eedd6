/** Headers of every response with a logo, for its owner and for visitors. */
export const logoHeaders = {
  // Belfry removes scripts from SVG files. If it missed one, these headers would keep it from running.
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  'x-content-type-options': 'nosniff',
  'content-disposition': 'inline; filename="logo"',
}
