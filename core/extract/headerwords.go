package extract

import "sync"

// meaning is what a column's name says about the numbers under it.
type meaning uint8

const (
	saysNothing meaning = iota
	saysAmount
	saysName     // they name something: an id, a code, a postcode
	saysNameLast // the same where the word stands last: “order key”, not “key accounts”
	saysNumber   // “number” alone, which names or counts
	saysThing    // “order”: may hold what names one, or its worth
	saysRank     // a place in an order, if whole
	saysYear
	saysYearOf // a year, if it looks like one: “built”, “year of birth”
	saysDate
	saysPhone
	saysMobile // phones, if not of “desktop, tablet, mobile”
	saysMonth
	saysWeek
	saysDay
	saysQuarter
)

// headerLists are words of columns' names, in lower case.
var headerLists = []wordList{
	{saysAmount, `amount amounts sum total totals subtotal count counts quantity quantities qty price prices cost costs fee fees rate value worth salary salaries wage
		wages pay income revenue turnover sales profit loss margin budget balance debit credit tax vat discount paid payment payments due net gross hours hour
		hrs minutes mins seconds days weeks months years age duration length width height weight size area volume distance depth speed points score scores
		votes hits views visits visitors clicks downloads impressions users headcount staff employees people population inhabitants members stock inventory
		units pieces pcs items orders customers tickets accounts lines bytes kb mb gb average avg mean median percent percentage share ratio capacity
		consumption usage coverage growth change difference target actual forecast plan spend spending expenses deaths births cases goals calls ytd mrr arr
		gdp mwh kwh wh w kg km usd eur gbp chf jan feb mar apr may jun jul aug sep oct nov dec january february march april june july august september october
		november december betrag summe gesamt menge anzahl preis kosten gebühr gebühren wert gehalt lohn löhne umsatz umsätze gewinn verlust saldo steuer mwst
		rabatt stunden minuten sekunden tage wochen monate jahre alter dauer länge breite höhe gewicht größe fläche strecke punkte stimmen zugriffe aufrufe
		besucher nutzer mitarbeiter mitarbeitende personen einwohner bevölkerung mitglieder bestand stück bestellungen kunden durchschnitt anteil verbrauch
		ausgaben einnahmen vorjahr netto brutto fälle januar februar märz mai juni juli oktober dezember montant somme quantité quantités prix coût coûts
		salaire salaires chiffre recettes dépenses bénéfice heures jours ans âge durée poids taille effectif habitants clients commandes importe suma cantidad
		precio precios costo costos coste costes salario salarios sueldo ingresos gastos ventas horas días meses años edad duración peso habitantes población
		clientes pedidos importo somma quantità prezzo prezzi costi stipendio stipendi ricavi vendite spese ore giorni mesi anni età durata abitanti
		popolazione valor quantidade preço preços custo custos receita despesas vendas dias anos idade duração população bedrag som hoeveelheid aantal prijs
		prijzen salaris omzet winst uren dagen weken maanden jaren leeftijd inwoners belopp summa antal pris lön omsättning timmar timer vikt vekt beløb beløp
		kwota ilość liczba cena ceny koszt koszty pensja przychód godziny dni wiek waga částka množství počet plat tržby hodiny mennyiség összeg ár árak
		fizetés óra tutar miktar adet fiyat maaş ciro saat määrä hinta palkka сумма количество кол цена цены стоимость зарплата оклад доход расход выручка
		часы часов дней возраст вес население продажи сума кількість ціна вартість дохід години вік вага продажі ποσό ποσότητα τιμή κόστος μισθός ώρες jumlah
		harga biaya gaji tổng giá عدد مبلغ كمية سعر تكلفة راتب ساعات عمر وزن سكان المبلغ الكمية السعر تعداد مقدار قیمت حقوق סכום כמות מחיר עלות שכר משכורת
		שעות גיל राशि मात्रा मूल्य कीमत वेतन घंटे आयु totale totaal totalt razem celkem итого всего مجموع المجموع الإجمالي العدد wartość shipping freight rent
		miete strom errors attendees participants teilnehmer downtime latency memory fte empleados dipendenti funcionários lagerbestand kontostand`},
	{saysName, `id ids nr sku zip zipcode plz postcode postal postleitzahl code uuid guid uid gid pid ean gtin upc isbn issn iban bic blz bsb ssn imei imsi asin
		barcode asn vlan ip ipv4 ipv6 octet serial vatid matricule siret siren nif cif cnpj cpf cep psč kostenstelle kontonummer durchwahl extension nummer
		kennziffer kennung aktenzeichen schlüssel rechnungsnr kundennr n° nº no° № numéro código codice kod kód kode koodi kodu номер код инн кпп огрн бик
		numer číslo numarası nomor nomer irányítószám cikkszám telefonszám rendelésszám κωδικός mã رقم رمز الرقم الرمز کد شماره קוד מזהה מיקוד कोड क्रमांक
		status`},
	{saysNameLast, `key ref reference referenz référence referencia riferimento port version release revision rev build center centre pin batch lot badge индекс sort
		account konto compte cuenta conto conta rekening hesap рахунок счёт счет acct`},
	{saysNumber, `number no # numero número numara αριθμός số szám מספר`},
	{saysThing, `order customer client ticket invoice employee case matter issue incident request article product item part material supplier vendor contract project
		job po member student patient user device machine asset booking shipment parcel document record transaction bestellung auftrag kunde rechnung artikel
		produkt teil lieferant vertrag projekt vorgang fall mitglied beleg buchung commande facture employé fournisseur contrat dossier pedido cliente factura
		empleado proveedor contrato ordine fattura fornitore fatura fornecedor bestelling klant factuur kund faktura zamówienie klient objednávka zákazník
		sipariş müşteri заказ клиент договор товар замовлення клієнт room flight bug pr gate raum zimmer chapter page track seite`},
	{saysRank, `rank ranking rang position pos place platz row line index seq sequence zeile step posición posizione posição miejsce место`},
	{saysYear, `year jahr année año anno ano rok год рік jaar år yıl yılı év vuosi έτος tahun năm سنة السنة عام العام سال שנה वर्ष साल yr fy 西暦`},
	{saysYearOf, `baujahr geburtsjahr geschäftsjahr gründungsjahr season saison vintage built founded established since born opened joined released created updated
		modified gegründet seit erbaut geboren fondé fundado fondato årstal årtal bouwjaar bj`},
	{saysDate, `date datum datetime timestamp birthday dob fecha dato дата päivämäärä päiväys tarih dátum ημερομηνία tanggal ngày تاريخ التاريخ تاریخ תאריך तारीख
		दिनांक epoch unixtime`},
	{saysPhone, `phone telephone tel telefon fax telefax téléphone teléfono telefono telefone telefoon телефон puhelin τηλέφωνο telepon هاتف الهاتف تلفن טלפון फोन फ़ोन`},
	{saysMobile, `mobile mobil handy cell cellphone smartphone móvil celular cellulare portable мобильный`},
	{saysMonth, `month monat mois mes mese mês maand miesiąc měsíc месяц місяць måned månad ay kuukausi hónap`},
	{saysWeek, `week woche kw semaine semana settimana vecka uge uke týden tydzień неделя тиждень hafta viikko`},
	{saysDay, `day tag jour día giorno dia dag dzień den день gün päivä nap`},
	{saysQuarter, `quarter quartal trimestre kwartaal kwartał čtvrtletí квартал`},
}

// They are read with the first table: most processes see none.
var headerWords = sync.OnceValue(func() map[string]meaning { return wordsOf(headerLists) })

// endings are those of compounds, and of names in scripts without spaces. The longest
// counts, so that 年数 is how many years.
var endings = sync.OnceValue(func() map[string]meaning { return wordsOf(endingLists) })

var endingLists = []wordList{
	{saysName, `leitzahl nummer kennziffer schlüssel numero номер nr 编码 代码 邮编 コード 番号 번호 코드 編號 编号 号码 號碼 代碼 号 號`},
	{saysNothing, `kennzahl halbjahr uhrzeit`},
	{saysAmount, `zahl summe betrag preis preise kosten menge stunden umsatz gehalt 额 額 数 數 量 价 價 金 价格 費 费 率 時間 时间 小时 入 口 本 上 資 资 料 格 액 수 량 금 가격 시간 급여 매출 計 计 高 在庫 합계 단가
		zeit tage zahlen teilnehmer bestand wert volumen`},
	{saysDate, `datum 日期 日付 날짜`},
	{saysPhone, `telefon 电话 電話 전화 手机 携帯`},
	{saysYearOf, `jahr`},
	{saysYear, `年份 年度 연도 년도 年`},
	{saysMonth, `月 月份`},
}

// linking words begin what a measure or a label belongs to: “hours per order number”.
var linking = setOf(`/ of to with from per in for by pro je für von vom de del di da do du des d au para par por na za van voor av til för от по в на за`)

// notAYear are words that make a year one that figures are of.
var notAYear = setOf(`last this previous prior current next full half letztes dieses voriges vergangenes`)

// totalling words make what follows an amount, numbering words name or count what
// follows, and trading words say of what kind a thing is.
var (
	totalling = setOf(`total sum count average avg mean max min gesamt`)
	numbering = setOf(`nr nº n° nombre`)
	trading   = setOf(`sales stock tax vat staff cost`)
)
