import type { SheetPicture } from '#app/finals/record/schema.ts'
import type { Picture } from '#app/ui/photos/photo.tsx'

export const toSheetPicture = ({ base, widths, jpegWidth, width, height, alt, focalPoint }: Picture): SheetPicture => ({
  base,
  anchos: widths,
  anchoJpeg: jpegWidth,
  ancho: width,
  alto: height,
  alt,
  foco: focalPoint,
})

export const fromSheetPicture = ({ base, anchos, anchoJpeg, ancho, alto, alt, foco }: SheetPicture): Picture => ({
  base,
  widths: anchos,
  jpegWidth: anchoJpeg,
  width: ancho,
  height: alto,
  alt,
  focalPoint: foco,
})
