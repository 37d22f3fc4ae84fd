/** Delivery reports as mail servers write them, each about one mail of the site. */

export const POSTFIX = (messageId: string) => `Return-Path: <>
Received: by mx.azahares.example (Postfix) id 4F1; Sun, 22 Nov 2026 10:00:02 -0600
Date: Sun, 22 Nov 2026 10:00:02 -0600
From: MAILER-DAEMON@mx.azahares.example (Mail Delivery System)
Subject: Undelivered Mail Returned to Sender
To: avisos@azahares.example
Auto-Submitted: auto-replied
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status;
	boundary="4F1.1700000000/mx.azahares.example"
Message-Id: <20261122160002.4F1@mx.azahares.example>

This is a MIME-encapsulated message.

--4F1.1700000000/mx.azahares.example
Content-Description: Notification
Content-Type: text/plain; charset=us-ascii

This is the mail system at host mx.azahares.example.

<nadie@ejemplo.mx>: host mx.ejemplo.mx said: 550 5.1.1 User unknown

--4F1.1700000000/mx.azahares.example
Content-Description: Delivery report
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.azahares.example
X-Postfix-Queue-ID: 4F1
Arrival-Date: Sun, 22 Nov 2026 10:00:01 -0600 (CST)

Final-Recipient: rfc822; nadie@ejemplo.mx
Original-Recipient: rfc822;nadie@ejemplo.mx
Action: failed
Status: 5.1.1
Remote-MTA: dns; mx.ejemplo.mx
Diagnostic-Code: smtp; 550 5.1.1 User unknown

--4F1.1700000000/mx.azahares.example
Content-Description: Undelivered Message Headers
Content-Type: text/rfc822-headers

Return-Path: <avisos@azahares.example>
From: =?UTF-8?Q?Se=C3=B1orita_Azahares?= <avisos@azahares.example>
To: nadie@ejemplo.mx
Subject: Tu registro
Message-ID: <${messageId}@azahares.example>
Date: Sun, 22 Nov 2026 16:00:00 +0000

--4F1.1700000000/mx.azahares.example--
`

export const EXCHANGE = (messageId: string) => `From: <postmaster@contoso.onmicrosoft.com>
To: <avisos@azahares.example>
Date: Sun, 22 Nov 2026 16:00:05 +0000
Content-Type: multipart/report; report-type=delivery-status; boundary="a1b2-c3d4"
X-MS-Exchange-Message-Is-Ndr:
Content-Language: en-US
Message-ID: <ndr-1@DM6PR01.prod.outlook.com>
In-Reply-To: <${messageId}@azahares.example>
References: <${messageId}@azahares.example>
Subject: Undeliverable: Tu registro
Auto-Submitted: auto-replied
MIME-Version: 1.0

--a1b2-c3d4
Content-Type: multipart/alternative; differences=Content-Type; boundary="inner-1"

--inner-1
Content-Type: text/plain; charset="us-ascii"
Content-Transfer-Encoding: quoted-printable

Your message to ana@contoso.example couldn't be delivered. The mailbox is=
 full.

--inner-1
Content-Type: text/html; charset="us-ascii"

<html><body><p>Your message couldn't be delivered.</p></body></html>

--inner-1--

--a1b2-c3d4
Content-Type: message/delivery-status

Reporting-MTA: dns;DM6PR01.namprd01.prod.outlook.com
Received-From-MTA: dns;mx.azahares.example
Arrival-Date: Sun, 22 Nov 2026 16:00:03 +0000

Final-Recipient: rfc822;ana@contoso.example
Action: failed
Status: 5.2.2
Diagnostic-Code: smtp;554 5.2.2 mailbox full; STOREDRV.Deliver.Exception:QuotaExceededException
X-Display-Name: Ana

--a1b2-c3d4
Content-Type: message/rfc822

Received: from mx.azahares.example (192.0.2.7) by DM6PR01.prod.outlook.com
	with Microsoft SMTP Server id 15.20; Sun, 22 Nov 2026 16:00:03 +0000
From: avisos@azahares.example
To: ana@contoso.example
Subject: Tu registro
Message-ID:
	<${messageId}@azahares.example>
MIME-Version: 1.0
Content-Type: text/plain

Hola, Ana.

--a1b2-c3d4--
`

export const GMAIL = (messageId: string) => `Return-Path: <>
From: Mail Delivery Subsystem <mailer-daemon@googlemail.com>
To: avisos@azahares.example
Auto-Submitted: auto-replied
Subject: Delivery Status Notification (Failure)
References: <${messageId}@azahares.example>
In-Reply-To: <${messageId}@azahares.example>
X-Failed-Recipients: nadie@dominio-que-no-existe.mx
Message-ID: <656c.gmr@mx.google.com>
Date: Sun, 22 Nov 2026 08:00:09 -0800 (PST)
Content-Type: multipart/report; boundary="0000000000006b1f"; report-type=delivery-status

--0000000000006b1f
Content-Type: multipart/related; boundary="0000000000006b20"

--0000000000006b20
Content-Type: text/html; charset="UTF-8"

<p>Address not found</p>
--0000000000006b20
Content-Type: image/png; name="icon.png"
Content-Disposition: attachment; filename="icon.png"
Content-Transfer-Encoding: base64

iVBORw0KGgo=
--0000000000006b20--

--0000000000006b1f
Content-Type: message/delivery-status

Reporting-MTA: dns; googlemail.com
Arrival-Date: Sun, 22 Nov 2026 08:00:05 -0800 (PST)
X-Original-Message-ID: <${messageId}@azahares.example>

Final-Recipient: rfc822; nadie@dominio-que-no-existe.mx
Action: failed
Status: 5.1.2
Diagnostic-Code: smtp; DNS Error: DNS type 'mx' lookup responded with code NXDOMAIN
Last-Attempt-Date: Sun, 22 Nov 2026 08:00:08 -0800 (PST)

--0000000000006b1f
Content-Type: message/rfc822

Message-ID: <${messageId}@azahares.example>
From: avisos@azahares.example
To: nadie@dominio-que-no-existe.mx
Subject: Tu registro

Hola.
--0000000000006b1f--
`
