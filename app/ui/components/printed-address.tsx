import styles from './printed-address.module.css'
import { QrPicture, type QrPictureCode } from './qr-picture.tsx'

/** Renders, on paper only, the URL of the printed screen and its QR code. */
export function PrintedAddress({ url, qrCode, children }: { url: string; qrCode: QrPictureCode; children: string }) {
  const { host, pathname } = new URL(url)
  return (
    <div className={styles.address}>
      <QrPicture qrCode={qrCode} label={`Cuadro que lleva a ${url}`} className={styles.qrCode} />
      <p>
        {children}{' '}
        <b>
          {host}
          <wbr />
          {pathname}
        </b>
      </p>
    </div>
  )
}
