/** Icons are small. A larger file is a photo, or an attempt to fill our database. */
export const MAX_ICON_BYTES = 65_536
