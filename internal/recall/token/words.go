package token

import "strings"

// entry says of which languages a folded word is a stop word, and which it speaks for when a language is told.
type entry struct{ stop, tells uint32 }

// words has every word that Stop and Detector know. It is never changed.
var words = func() map[string]entry {
	m := make(map[string]entry, 4096)
	for l := range languages {
		for _, w := range strings.Fields(stopWords(l)) {
			e := m[w]
			e.stop |= l.bit()
			if !consonant(w) {
				e.tells |= l.bit()
			}
			m[w] = e
		}
		for _, w := range strings.Fields(tellingWords(l)) {
			e := m[w]
			e.tells |= l.bit()
			m[w] = e
		}
	}
	return m
}()

// consonant reports whether w is a single consonant: the rest of a word, or a letter that was spelt out.
func consonant(w string) bool { return len(w) == 1 && !strings.Contains("aeiouy", w) }

// stopWords returns the folded function words of a language: articles, pronouns, prepositions, conjunctions, auxiliary
// verbs, particles, question words, and what people say between words. A word that, once folded, is also a name or a
// noun that people ask about (Mia, Sara and sarà; tea and te; father and får) is in tellingWords instead. A word that
// is said all the time weighs little in a search anyway, but a stop word is never found.
func stopWords(l Language) string {
	switch l {
	case German:
		return `der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner
			ich du er sie es wir ihr mich dich ihn uns euch mir dir ihm ihnen sich man
			mein meine meinen meinem meiner meines dein deine deinen deinem deiner sein seine seinen seinem seiner
			ihre ihren ihrem ihrer unser unsere unseren unserem unserer euer eure euren
			dieser diese dieses diesen diesem jener jene jenes jeder jede jedes jeden welcher welche welches welchen
			bin bist ist sind seid war warst waren wart gewesen sei waren habe hast hat haben habt hatte hatten hatte gehabt
			werde wirst wird werden werdet wurde wurden worden geworden kann kannst konnen konnte konnten muss musst mussen
			musste
			soll sollst sollen sollte sollten will willst wollen wollte wollten darf durfen mag mochte mochten
			und oder aber denn weil dass wenn ob als wie so dann da doch sondern sowie also damit bevor nachdem wahrend
			in im an am auf aus bei beim bis durch fur gegen hinter mit nach neben ohne seit uber um unter vom von vor zu zum zur
			zwischen
			nicht nichts nein ja noch nur schon sehr auch mal eben halt etwas mehr hier dort nun jetzt wieder immer ganz
			was wer wo wann warum wieso weshalb wen wem wessen woher wohin dazu dabei daran darauf dafur davon hin her
			ah ahm aeh hm okay ok bitte danke`
	case Spanish:
		return `el la los las un una unos lo al del yo tu usted ustedes ello nosotros nosotras vosotros ellos ellas
			me se nos os le les mi mis tus su sus nuestro nuestra nuestros nuestras conmigo contigo
			este esta esto estos estas ese esa eso esos esas aquel aquella aquello aquellos aquellas
			soy eres es somos son era eras eran fue fueron fui ser sido sea seria estoy estas esta estamos estan estaba estaban
			estar estado
			he has ha hemos han habia habian hay haber hubo tengo tiene tienen tenia tener puede puedo pueden
			y e o u ni que si pero porque pues como cuando aunque mientras sino
			de a ante bajo con contra desde en entre hacia hasta para por segun sin tras durante
			no muy mas menos ya tambien tampoco solo asi tan tanto mucho mucha muchos muchas poco algo nada todo toda todos todas
			otro otra otros otras
			quien quienes cual cuales cuanto cuanta cuantos donde adonde aqui ahi alli alla ahora entonces luego
			pues bueno eh gracias por favor vale ok`
	case French:
		return `le la les l un une des du d de au aux je j tu il elle on nous vous ils elles me m te t se s lui leur leurs y
			en
			mon ma mes ton ta tes son sa ses notre nos votre vos moi toi soi eux ce c cet cette ces cela ca ceci celui celle ceux
			celles
			suis es est sommes etes sont etais etait etaient serai sera serait etre ai as a avons avez ont avais avait avaient
			aurai aura aurait avoir eu
			fait fais peut peux veux veut
			et ou mais donc ni que qu qui quoi dont si comme quand lorsque parce puisque
			a dans par pour sur sous avec sans vers chez entre contre depuis pendant avant apres
			ne n pas plus moins tres trop bien aussi encore deja jamais toujours rien tout toute tous toutes alors puis ici
			quel quelle quels quelles combien comment pourquoi voila voici oui non euh bah ok merci`
	case Portuguese:
		return `o a os as um uma uns umas ao aos do da dos das no na nos nas pela pelas dele dela deles delas
			nele nela disso nisso isso isto aquilo este esta estes estas esse essa esses essas aquele aquela aqueles aquelas
			deste desta desse dessa
			eu tu ele ela voce voces nos eles elas me te se lhe lhes mim ti comigo meu minha meus minhas teu tua seu sua seus
			suas nosso nossa nossos nossas
			sou es e somos sao era eram foi foram fui ser sido seja seria estou esta estamos estao estava estavam estar
			tenho tem temos tinha tinham ter teve ha havia haver vou vai vamos vao pode posso podem
			e ou mas nem que se porque pois como quando enquanto embora entao
			de em com para pra por sem sob sobre ate desde entre contra apos ante
			nao sim muito muita muitos muitas mais menos ja tambem so ainda ca ai aqui ali agora tudo todo toda todos todas outro
			outra outros outras
			quem qual quais quanto quanta quantos onde algum alguma nada bem hein ne ok obrigado obrigada`
	case Italian:
		return `il lo la i gli le l un uno una al allo alla ai agli alle del dello della dei degli delle dal dallo dalla dai
			dagli dalle
			nel nello nella nei negli nelle sul sullo sulla sui sugli sulle col coi
			io tu lui lei noi voi loro egli essa mi ti ci vi si lo ne me se gli mio miei mie tuo tua tuoi tue suo sua suoi sue
			nostro nostra nostri nostre vostro vostra
			questo questa questi queste quello quella quelli quelle quel quei cio
			sono e siamo siete era ero erano eravamo fu stato stata stati essere sia sarebbe
			ho hai ha abbiamo avete hanno avevo aveva avevano avere avuto sto sta stanno puo posso possono
			e ed o ma che se perche quando come mentre anche quindi dunque allora oppure
			di a da in con su per tra fra senza sotto sopra dopo prima contro verso
			non no si piu meno molto molta molti molte poco tanto gia ancora sempre mai solo tutto tutta tutti tutte altro altra
			altri altre
			chi cui quale quali quanto quanta quanti dove qui qua li c d un po ecco beh ok grazie`
	case Dutch:
		return `de het een ik jij je u hij zij ze wij we jullie me mij jou hem ons hen hun zich men mijn jouw zijn onze uw
			dit dat deze die er bent is zijn was waren geweest heb hebt heeft hebben had hadden gehad word wordt worden werd
			werden
			kan kun kunt kunnen kon konden moet moeten moest zal zult zullen zou zouden wil wilt willen wilde mag mogen ga gaat
			gaan
			en of maar want omdat dat als dan toen terwijl dus ook zodat
			in op aan bij van voor met naar uit over onder om te tot door tegen tussen zonder sinds na achter naast tijdens
			niet geen nee ja wel nog al nu toch heel erg zo veel hier daar iets niets alles alle even maar eens
			wat wie waar wanneer waarom hoe welke welk hoeveel waarvan waarmee eh uh ok oke`
	case Swedish:
		return `en ett den det de dem jag du han hon vi ni mig dig sig honom henne oss er min mitt din ditt dina sin sitt sina
			hennes dess var vart vara deras denna detta dessa man
			ar var vara varit blir blev bli blivit har hade ha haft kan kunde ska skulle vill ville maste fick
			och eller men for att som om nar innan medan eftersom sa utan samt
			i pa av till fran med hos vid under over mellan efter genom mot inom
			inte ej nej ja jo mycket mer alla allt nagon nagot nagra ingen inget inga sedan nu da dar har hit dit ocksa bara
			mycket igen
			vad vem vilken vilket vilka hur varfor vart nar ju upp ut in ner tack`
	case Norwegian:
		return `en et ei den det de dem jeg du han hun vi dere meg deg seg ham henne oss min mitt mine din ditt dine sin sitt
			sine
			hennes var vart vare deres denne dette disse man
			er var vaere vaert blir ble bli blitt har hadde ha hatt kan kunne skal skulle vil ville ma fikk
			og eller men for at som om nar for mens fordi sa uten
			i pa av til fra med hos ved under over mellom etter gjennom mot
			ikke nei ja jo mye mer alle alt noe noen ingen ingenting na da der her hit dit ogsa bare veldig igjen
			hva hvem hvilken hvilket hvilke hvordan hvorfor hvor nar opp ut inn ned takk a`
	case Danish:
		return `en et den det de dem jeg du han hun vi i mig dig sig ham hende os jer min mit mine din dit dine sin sit
			hendes vores jeres deres denne dette disse man
			er var vaere vaeret bliver blev blive blevet har havde haft kan kunne skal skulle vil ville ma fik
			og eller men for at som om nar for mens fordi sa uden
			pa af til fra med hos ved under over mellem efter gennem mod
			ikke nej ja jo meget mere alle alt noget nogen nogle ingen intet nu da der her hid ogsa bare igen lige
			hvad hvem hvilken hvilket hvilke hvordan hvorfor hvor hvornar op ud ind ned tak`
	case Finnish:
		return `mina sina han me te he minun sinun hanen meidan teidan heidan minua sinua meita teita heita minulla sinulla
			hanella meilla
			minulle sinulle hanelle meille minut sinut hanet minulta minusta sinusta
			tama tuo se nama nuo ne taman tuon sen naiden niiden tata tuota sita naita niita tassa siina tasta siita talla silla
			tahan siihen tanne sinne
			joka jotka jonka jota jossa josta johon jolla jos etta kun kuin koska vaikka mutta ja tai eli seka vai
			olen olet on olemme olette ovat olin olit oli olimme olivat ollut olleet ole olla olisi olisin onko
			en et ei emme ette eivat eika enka voin voit voisi pitaa taytyy
			kanssa ilman ennen jalkeen mukaan kautta varten
			mita mina mitka kuka kenen keta milloin missa mista mihin miksi miten kuinka paljonko millainen
			niin nyt sitten myos vain jo viela ihan kylla juu joo no tuolla taalla siella kiitos`
	case Russian:
		return `я ты он она оно мы вы они меня тебя его ее нас вас их мне тебе ему еи нам вам им мнои тобои нами вами ими нем
			неи них нее него нему ним
			мои моя мое мои моего моеи моему мою моих твои твоя твое твоего твоеи твою свои своя свое своего своеи свою наш наша
			наше нашего нашеи вашу ваш ваша ваше вашего вашеи
			этот эта это эти этого этои этому этим этих эту тот та те того тои тому тем тех ту такои такая такие сам себя себе
			быть был была было были есть буду будет будем будут будешь
			и а но или да что чтобы как если когда потому поэтому же ли бы хотя также тоже
			в во на с со к ко о об от до из у за по для при про через под над перед между без после около
			не ни нет уже еще только очень вот там тут здесь где куда откуда так тогда теперь сеичас потом можно надо нужно
			кто кого кому чем чего чему какои какая какое какие каких какого какую которыи которая которые которои сколько почему
			зачем
			все всех всего всем весь вся ну вообще спасибо пожалуиста`
	case Hungarian:
		return `a az egy en te o mi ti ok engem teged minket titeket oket nekem neked neki nekunk nektek nekik velem veled
			vele
			ez ezt ezek azt azok ennek annak erre arra ebben abban itt ott ide oda ilyen olyan
			vagyok vagy van vagyunk vannak volt voltam voltal voltunk voltak lesz leszek lesznek lenne lett legyen lehet volna
			es is hogy de ha mert vagy meg mint hanem pedig mivel tehat akkor amikor aki ami amely ahol
			nem ne nincs sem igen mar csak most majd meg nagyon is el le ki be ra ossze vissza
			alatt elott utan kozott mellett nelkul miatt szerint altal ota
			ki kit mi mit mikor hol hova honnan miert hogyan hogy mennyi hany melyik milyen kinek kell kellett koszonom`
	case Romanian:
		return `un o unui unei niste eu tu el ea noi voi ei ele mine tine ma te il le ne va ii imi iti isi mi ti si lui lor
			sine
			meu mea mei mele tau ta tai tale sau sa sai sale nostru noastra nostri noastre vostru voastra
			acest aceasta acesta acestea acesti acel aceea acela acele asta ala cel cea cei cele
			sunt esti este e suntem sunteti era eram erau fost fi fie am ai are avem aveti au aveam avea avut vor voi vom ar as
			si sau dar iar ca daca cand deci fiindca pentru desi nici
			de la in din cu pe prin sub spre fara dupa intre despre langa dintre
			nu da foarte doar tot toate toti asa aici acolo acum atunci inca deja
			ce cine care cat cata cati cum unde pentru al a ale ai se s n l i`
	case Turkish:
		return `ben sen o biz siz onlar beni seni onu bizi sizi onlari bana sana ona bize size onlara benim senin onun bizim
			sizin onlarin bende
			bu bunu sunu bunun buna bunlar burada orada buraya oraya boyle soyle oyle
			bir ve veya ya ile icin ama fakat ancak cunku eger ki de da gibi kadar gore sonra once daha en cok az
			mi mu misin musun  degil var yok evet hayir olan olarak oldu olur olsun
			ne neden niye nicin nasil kim kimin kime nerede nereye nereden hangi kac zaman her hic hep sey bazi tum butun diye
			artik bile sadece lutfen tesekkurler`
	case Japanese:
		return `です ます した まし ませ せん して てい いる いま って とい いう こと もの から まで ので のに けど ども ない なか あり
			たい たの んで でし しょ ょう うか すか ては では には とは れる られ よう さん この その あの どの これ それ あれ どれ
			ここ そこ どこ なに えと はい ええ でも だけ など ため うに すが たが する るの のは のが のを ので った たり`
	case Chinese:
		return `的 了 是 我 你 他 她 们 我们 你们 他们 她们 这个 那个 什么 怎么 哪里 哪个 没有 不是 就是 还是 但是 因为 所以 可以 一个 一下 这样 那样 的是 了吗 是什 么时 是不`
	case Korean:
		return `그리 리고 하지 지만 그런 런데 그래 래서 이것 그것 저것 나는 저는 내가 제가 우리 너는 당신 합니 니다 습니 입니 어요 아요 해요 예요 에요 세요 있어 있습 하고 에서 에게 까지 부터 무엇
			뭐가 언제 어디 누가 누구 어떻 떻게`
	case Arabic:
		return `في من على الى إلى عن مع هذا هذه ذلك تلك هو هي هم انا أنا انت أنت نحن كان كانت يكون لا ما لم لن قد ان أن إن
			او أو و ثم لكن التي الذي ماذا متى أين كيف هل من كل بعد قبل عند`
	case Hebrew:
		return `של את על עם אל מן זה זאת זו אני אתה את הוא היא אנחנו הם הן לא כן כי אם או גם רק מה מי איפה מתי איך למה יש
			אין היה הייתה יהיה כל אבל שלי שלך שלו שלה לי לך לו לה`
	case Greek:
		return `ο η το οι τα του της των τον την ενα μια ενας και να δεν μη θα που πως τι ποιος ποια ποιο ειναι ειμαι εισαι
			ηταν εχω εχει για με σε στο στη στην στον απο αλλα η αν οταν οτι μου σου μας σας τους πολυ αυτο αυτη αυτος ποτε`
	case Hindi:
		return `का की के को में से पर ने और या है हैं था थे थी हो मैं तुम आप वह वे यह ये हम मेरा मेरी मेरे तुम्हारा उनका
			उसका क्या कब कहाँ कौन क्यों कैसे नहीं भी ही तो जो कि एक लिए साथ रहा रही रहे`
	}
	return ""
}
