export interface QrPictureCode {
  /** Length of a side in modules. */
  side: number
  /** The dark modules as an SVG path. */
  path: string
}

/** Draws a QR code, black on white on any background. @param label says where the code leads */
export const QrPicture = ({
  qrCode: { side, path },
  label,
  className,
}: {
  qrCode: QrPictureCode
  label: string
  className?: string | undefined
}) => (
  <svg className={className} viewBox={`0 0 ${side} ${side}`} role="img" aria-label={label} shapeRendering="crispEdges">
    <rect width={side} height={side} fill="#fff" />
    <path d={path} fill="#000" />
  </svg>
)
