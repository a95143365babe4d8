"""Cues of each facet: in questions, then in statements; English and Portuguese, folded."""

#: `facet : cues of a question : cues of a statement ;` with cues separated by `|`.
FACETS = """
age : how old | age | years old | quantos anos | que idade | qual a idade | idade
    : # years old | years old | year old | # year | turned # | turning # | turns # | aged | i'm # | im # | i am
    # | is # | he's # | she's # | age | # anos | fez # | faz # | fazer # | completa # | tenho # anos | idade |
    month old | meses ;
birthday : birthday | born | bday | aniversario | aniversarios | nasceu | nasci | niver | faz anos | faco anos
    : birthday | bday | born | turns # | turned # | aniversario | niver | nasceu | nasci | nascimento | fazer #
    anos | faz # anos ;
work : job | work | works | working | living | profession | occupation | employer | company | career | trade |
    employed | what does he do | what do i do | does for a living | do for a living | for a living | workplace |
    office | trabalho | trabalha | trabalhar | trabalhei | trabalhava | emprego | profissao | empresa | cargo |
    o que faz | que faz | meu pai faz | minha mae faz | marido faz | mulher faz | ganha a vida | vendo | trampo
    | escritorio | oficio | employees | staff | firm
    : job | work | works | working | worked | employed | company | hired | promoted | promotion | position |
    role | quit | fired | freelance | freelancer | self-employed | retired | startup | intern | internship |
    apprentice | shift | shifts | career | office | employer | business | shop | bakery | store | own a | run a
    | runs a | starting at | started at | engineer | developer | programmer | designer | teacher | teach |
    teaches | taught | nurse | doctor | gp | paramedic | lawyer | accountant | bookkeeper | pilot | driver |
    drives for | trucker | chef | cook | baker | waiter | waitress | barista | builder | plumber | electrician |
    carpenter | mechanic | farmer | gardener | journalist | writer | editor | artist | musician | photographer |
    architect | scientist | researcher | professor | lecturer | librarian | translator | secretary | manager |
    director | consultant | analyst | salesman | hairdresser | barber | tailor | firefighter | police | officer
    | soldier | vet | dentist | pharmacist | physiotherapist | therapist | psychologist | social worker |
    cleaner | clerk | cashier | receptionist | guard | trabalho | trabalha | trabalhei | trabalhava |
    trabalhando | trabalham | emprego | empresa | contratado | contratada | promovido | promovida | promocao |
    cargo | demitido | demitida | demissao | aposentado | aposentada | reformado | reformada | estagio |
    estagiario | efetivado | efetivada | bolsa | loja | negocio | oficina | vendo | vende | atendo | atende |
    dou aulas | da aulas | dou aula | da aula | engenheiro | engenheira | programador | programadora |
    desenvolvedor | professora | enfermeiro | enfermeira | medico | medica | advogado | advogada | contador |
    contadora | contabilista | piloto | motorista | caminhoneiro | cozinheiro | cozinheira | padeiro | padeira |
    confeiteira | garcom | pedreiro | encanador | eletricista | carpinteiro | marceneiro | mecanico | agricultor
    | jornalista | escritor | escritora | artista | musico | fotografo | fotografa | arquiteto | arquiteta |
    cientista | pesquisador | pesquisadora | bibliotecaria | tradutor | tradutora | secretaria | gerente |
    diretor | diretora | consultor | consultora | analista | vendedor | vendedora | cabeleireira | barbeiro |
    costureira | bombeiro | policial | policia | soldado | veterinario | veterinaria | dentista | farmaceutica |
    farmaceutico | fisioterapeuta | terapeuta | psicologa | psicologo | faxineira | caixa | recepcionista |
    porteiro | pescador | nutricionista | autonomo | autonoma | freela | clt | junior | senior | pleno ;
home : live | lives | living | address | city | town | neighbourhood | neighborhood | apartment | flat | house |
    home | moro | mora | morar | moramos | morada | endereco | cidade | bairro | vivo | vive | vivem | vivemos |
    casa | apartamento | apto | ape | reside | resido | mudei | mudamos | moved
    : live | lives | living | lived | moved | moving | move to | flat | apartment | house | studio | bedroom | 2
    bed | roommate | flatmate | rent | rented | renting | landlord | lease | mortgage | based in | street | moro
    | mora | moram | morando | moramos | mudei | mudamos | mudou | mudado | mudados | mudanca | apartamento |
    ape | casa | kitnet | quitinete | republica | vivo | vive | vivemos | viver | dividindo | divido | aluguei |
    aluguel | bairro | rua | condominio | senhorio ;
studies : study | studies | studying | studied | university | uni | college | school | course | degree | major |
    class | classes | estudo | estuda | estudei | estudar | faculdade | facul | universidade | escola | curso |
    colegio | formou | formei | graduacao | pos | mestrado | doutorado | ensino | materia | disciplina | thesis
    | dissertation | tcc | tese | phd | masters | graduate
    : study | studies | studying | studied | university | uni | college | school | course | degree | major |
    semester | term | phd | master's | masters | msc | bachelor | thesis | dissertation | lecture | lectures |
    exam | exams | graduated | graduating | graduation | freshman | sophomore | 2nd yr | 1st yr | 3rd yr |
    undergrad | psych | kindergarten | nursery | lessons | apprenticeship | estudo | estuda | estudei | estudar
    | faculdade | facul | universidade | escola | curso | cursando | colegio | formou | formei | graduacao | pos
    | pos-graduacao | mestrado | doutorado | semestre | periodo | tcc | tese | dissertacao | prova | provas |
    vestibular | reprovei | passei | aulas | aula | calculo | creche | ufpe | usp | unicamp | ufmg | ufrj ;
partner : wife | husband | spouse | partner | girlfriend | boyfriend | fiance | fiancee | ex | married | dating
    | date | relationship | esposa | marido | mulher | esposo | namorada | namorado | noivo | noiva |
    companheiro | companheira | casado | casada | casamos | solteiro | namorando | wedding
    : wife | husband | spouse | partner | girlfriend | boyfriend | gf | bf | fiance | fiancee | ex | married |
    engaged | dating | divorced | divorce | split up | broke up | been together | wedding | single | widow |
    widower | late husband | late wife | esposa | marido | mulher | esposo | namorada | namorado | noivo | noiva
    | companheiro | companheira | casado | casada | casamos | casamento | divorciada | divorciado | separei |
    separamos | terminamos | terminei | juntos | viuvo | viuva | solteiro | solteira ;
children : son | sons | daughter | daughters | kid | kids | child | children | baby | filho | filha | filhos |
    filhas | crianca | criancas | bebe | eldest | youngest
    : son | sons | daughter | daughters | kid | kids | child | children | baby | toddler | eldest | youngest |
    pregnant | filho | filha | filhos | filhas | crianca | criancas | bebe | cacula | gravida ;
family : family | relatives | relative | familia | parentes | parente | parents | siblings | pais | irmaos |
    family tree
    : son | daughter | wife | husband | mother | mum | mom | father | dad | brother | sister | grandson |
    granddaughter | grandchildren | grandma | grandmother | grandfather | grandad | uncle | aunt | auntie |
    cousin | nephew | niece | parents | in-law | filho | filha | filhos | filhas | esposa | marido | mulher |
    mae | pai | irmao | irma | neto | neta | netos | avo | tio | tia | primo | prima | sobrinho | sobrinha |
    pais | sogra | sogro | cunhado | cunhada | nora | genro | velho | coroa ;
pet : pet | pets | dog | dogs | cat | cats | puppy | kitten | animal | cachorro | cachorra | cao | gato | gata |
    bicho | canario
    : pet | dog | dogs | cat | cats | puppy | kitten | labrador | retriever | terrier | poodle | spaniel |
    collie | mutt | rabbit | hamster | parrot | tortoise | goldfish | canary | guide dog | cachorro | cachorra |
    cadela | cao | vira-lata | gato | gata | gatinho | filhote | coelho | papagaio | canario | calopsita |
    adotamos | adotou ;
vehicle : car | cars | drive | vehicle | truck | van | motorbike | motorcycle | bike | bicycle | carro |
    automovel | moto | bicicleta | carrinha | veiculo
    : car | drive | driving | drove | vehicle | truck | van | motorbike | motorcycle | bike | bicycle | e-bike |
    scooter | sold the | toyota | honda | ford | kia | hyundai | nissan | mazda | subaru | volvo | bmw | audi |
    mercedes | skoda | tesla | renault | peugeot | citroen | fiat | seat | volkswagen | vw | golf | polo | corsa
    | civic | corolla | yaris | clio | leaf | focus | fiesta | onix | gol | hb20 | renegade | compass | kwid |
    uno | palio | carro | automovel | moto | bicicleta | carrinha | dirijo | conduzo | conduzir | jeep |
    chevrolet | opel | vauxhall ;
device : phone | mobile | laptop | computer | tablet | pc | celular | telemovel | telefone | notebook |
    computador | portatil | camera | printer | impressora
    : phone | iphone | pixel | samsung | galaxy | android | laptop | macbook | thinkpad | dell | lenovo | ipad |
    tablet | pc | computer | celular | telemovel | telefone | notebook | computador | portatil | xiaomi |
    motorola | windows | camera | printer | impressora | kindle ;
number : phone number | telephone number | number plate | plate | matricula | telefone da | telefone do | cpf |
    nif | iban | pin | password | senha | passport number | account number | numero da conta | placa
    : number ends | number is | my number | numero e | matricula | placa | pin | iban | nif | senha | password |
    telefone e | termina em | ends in ;
cost : how much | cost | costs | price | paid | pay | fee | quanto custa | quanto custou | quanto pago | quanto
    paguei | quanto | custou | custa | preco | valor | charge | expensive
    : # euros | # pounds | # dollars | # reais | # bucks | # quid | # grand | # a month | # each | # conto | #
    contos | # mil | cost | costs | paid | pay | price | charge | charged | £ | $ | € | r$ | bucks | grand |
    euros | reais | pounds | dollars | custou | custa | custam | paguei | pago | preco | cobro | cobra | cobrou
    | valor | parcelas | vezes | an hour | per hour | per loaf | por hora | por mes | k | for # | por # | ficou
    em # ;
salary : salary | earn | wage | income | paid | raise | ganho | ganha | salario | ordenado | renda | recebo |
    quanto ganho
    : salary | earn | earning | wage | an hour | per hour | a year | raise | income | take home | pays # | bolsa
    | salario | ordenado | ganho | recebo | aumento | por hora | por mes | # de bolsa | efetivado | junior |
    pleno ;
rent : rent | landlord | mortgage | lease | aluguel | renda | senhorio | arrendamento | prestacao
    : rent | landlord | mortgage | lease | deposit | a month | each | aluguel | renda | senhorio | pra cada |
    para cada | prestacao | condominio ;
insurance : insurance | insurer | insured | seguro | seguradora | apolice
    : insurance | insurer | insured | policy | admiral | axa | allianz | aviva | seguro | seguradora | apolice |
    porto ;
medicine : medicine | medicines | medication | medications | meds | pills | pill | tablet | tablets | prescribed
    | prescription | drug | dose | what do i take | what i take | mg | remedio | remedios | medicamento |
    medicamentos | comprimido | medicacao | que tomo | o que tomo | receitou | dosagem
    : medicine | medication | meds | pill | pills | tablet | tablets | prescribed | prescription | dose | # mg |
    mg | inhaler | puffer | insulin | injections | twice a day | once a day | put me on | on apixaban | warfarin
    | metformin | statin | ramipril | losartan | sertraline | ibuprofen | remedio | remedios | medicamento |
    comprimido | comprimidos | tomo | toma | tomar | receitou | passou a | insulina | losartana | metformina |
    eliquis | colirio | antibiotico ;
health : health | medical | illness | ill | sick | disease | condition | conditions | diagnosis | diagnosed |
    surgery | operation | op | operations | injury | injured | allergic | allergy | allergies | hospital | wrong
    with | doctor | symptoms | saude | doenca | doencas | doente | diagnostico | cirurgia | operacao | operado |
    operada | lesao | alergico | alergica | alergia | alergias | medico | medica | machuquei | dor | dores |
    exames
    : diagnosed | diagnosis | surgery | surgeon | operation | operated | stitches | hospital | injury | injured
    | knee | hip | back | ankle | wrist | shoulder | broke | broken | fracture | sprain | sprained | pain |
    asthma | diabetes | diabetic | arthritis | migraine | blood pressure | heart | allergic | allergy |
    intolerant | coeliac | celiac | anaemia | depression | anxiety | adhd | dyslexic | dyslexia | dementia |
    alzheimer | dialysis | kidneys | cancer | cataract | hearing | pregnant | fever | infection | syndrome |
    carpal tunnel | pacemaker | gp says | doctor said | doctor says | physio | diagnosticado | diagnosticada |
    diagnostico | cirurgia | operado | operada | operacao | lesao | joelho | quadril | coluna | costas |
    tornozelo | punho | ombro | quebrou | quebrei | fratura | dor | dores | asma | diabetico | diabetica |
    pre-diabetica | pressao | tensao | coracao | alergico | alergica | alergia | intolerancia | intolerante |
    celiaca | celiaco | anemia | depressao | ansiedade | tdah | dislexia | cancro | catarata | gravida | febre |
    infeccao | medico disse | medico falou | medico pediu | fibrilhacao | hernia | inchado | fisioterapeuta
    proibiu ;
team : which team | team do i support | football team | favourite team | what club | que time | qual time | meu
    time | torco | clube | equipa | support
    : arsenal | chelsea | liverpool | tottenham | spurs | man united | man city | everton | leeds united |
    celtic | rangers | flamengo | corinthians | palmeiras | gremio | santos | sao paulo fc | vasco | botafogo |
    fluminense | cruzeiro | internacional | benfica | sporting | fc porto | gooner | supporter | fan | season
    ticket | torcedor | torcedora | torco | adepto | won | lakers | yankees | packers | sport | nautico ;
music : instrument | band | song | singer | music | play guitar | album | instrumento | banda | cantor | cantora
    | musica | toco | coral | choir | show | concert | gig
    : guitar | bass | piano | violin | drums | trombone | trumpet | saxophone | flute | cello | choir | band |
    gig | concert | song | album | singer | music | guitarra | violao | baixo | bateria | teclado | flauta |
    coral | banda | show | cantor | cantora | musica | toco | toca | ensaio | violino ;
activity : hobby | hobbies | sport | sports | free time | weekend | weekends | exercise | gym | class | lessons
    | lazer | passatempo | tempo livre | esporte | desporto | treino | academia | piscina | yoga | ioga |
    climbing | swim | run | fim de semana | spare time | relax
    : gym | climbing | bouldering | swim | swimming | run | running | marathon | yoga | pilates | football |
    tennis | chess | knitting | quilt | sewing | painting | pottery | gardening | allotment | sailing | surfing
    | skiing | hiking | cycling | dance | dancing | lessons | class | club | course | training | academia |
    piscina | natacao | corrida | correr | ioga | futebol | tenis | xadrez | croche | costura | pintura | horta
    | surf | trilha | pedalar | danca | aulas | treino | treinar | clube | pesca | fotografia | ceramica | board
    games ;
trip : trip | travel | travelling | holiday | holidays | vacation | flight | fly | flying | visit | journey |
    cruise | viagem | viajar | viaja | ferias | voo | passeio | cruzeiro | abroad
    : trip | travel | holiday | vacation | flight | flying | fly out | flew | booked | days in | weeks in | week
    in | back from | going to | hotel | airbnb | cruise | itinerary | viagem | viajar | ferias | voo | reservei
    | reservamos | vamos pra | vamos para | dias na | dias em | cruzeiro | passagem | passagens | voltei de |
    pousada ;
time : when | what time | what day | which day | which days | what date | which month | what year | how long |
    until when | quando | que dia | que dias | que horas | qual dia | que data | que mes | em que ano | desde
    quando | ate quando
    : monday | tuesday | wednesday | thursday | friday | saturday | sunday | mondays | tuesdays | wednesdays |
    thursdays | fridays | saturdays | sundays | january | february | march | april | june | july | august |
    september | october | november | december | jan | feb | sept | oct | nov | dec | tomorrow | yesterday | at #
    | # am | # pm | on the # | weekend | weekends | next week | next month | # days | # weeks | # months | since
    | until | due | daily | segunda | terca | quarta | quinta | sexta | sabado | domingo | sabados | domingos |
    janeiro | fevereiro | marco | abril | maio | junho | julho | agosto | setembro | outubro | novembro |
    dezembro | amanha | ontem | as # | dia # | # dias | # semanas | # meses | desde | ate | prazo | tercas |
    quartas | quintas | sextas | segundas | next year | last year ;
goal : goal | goals | plan | plans | planning | want | dream | resolution | meta | metas | objetivo | plano |
    planos | sonho | quero | pretendo
    : goal | plan | planning | want to | wanna | hope to | hoping | saving for | by the end of | dream | decided
    | resolution | going to | meta | objetivo | plano | quero | queria | pretendo | sonho | juntar | decidi |
    decidimos | ate o fim ;
savings : saved | savings | save | budget | deposit | debt | loan | owe | mortgage | guardado | juntei | juntar
    | poupanca | orcamento | divida | emprestimo | poupei | falta | invested | invest
    : saved | saving | savings | budget | deposit | debt | loan | owe | isa | so far | pension | invested | fund
    | guardado | juntar | juntei | poupanca | orcamento | divida | emprestimo | certificados | aplicado | tenho
    la | ja tenho ;
boss : boss | manager | supervisor | lead | team lead | chief | colleague | colleagues | coworker | coworkers |
    chefe | gerente | colega | colegas | patrao | orientador | orientadora | tutor | mentor | who works | socia
    | socio | business partner
    : boss | manager | supervisor | lead | head | cto | ceo | colleague | colleagues | coworker | from work | at
    work | chefe | gerente | colega | colegas | patrao | orientador | orientadora | tutor | mentor | hired |
    socia | socio | dividir com | contratei | apprentice | assistant | ajudante ;
caregiver : doctor | gp | dentist | vet | therapist | physio | cardiologist | surgeon | plumber | mechanic |
    lawyer | hairdresser | medico | medica | dentista | veterinaria | veterinario | terapeuta | psicologa |
    fisio | cardiologista | encanador | mecanico | advogado | advogada | contador
    : dr | dr. | doctor | gp | dentist | vet | therapist | physio | cardiologist | surgeon | plumber | mechanic
    | lawyer | hairdresser | dra | dra. | medico | medica | dentista | veterinaria | veterinario | terapeuta |
    psicologa | fisio | cardiologista | encanador | mecanico | advogado | advogada | contador ;
reading : book | books | novel | read | author | film | movie | series | show | livro | livros | romance | autor
    | filme | serie | ler | leio
    : book | books | novel | read | reading | author | writing a | mysteries | film | movie | series | chapter |
    livro | livros | romance | autor | filme | serie | lendo | leio | ler | capitulo | escrever um | editora |
    publisher ;
taste : favourite | favorite | prefer | like best | do i like | i like | i love | best | preferido | favorito |
    favorita | preferida | gosto | prefiro | adoro | liked
    : favourite | favorite | prefer | love | loved | like | fond of | best thing | enjoy | into | can't stand |
    hate | preferido | favorito | favorita | gosto | prefiro | adoro | amo | amei | odeio | detesto | fa ;
origin : where am i from | from originally | nationality | grew up | born in | hometown | de onde sou |
    nacionalidade | nasci onde | onde nasci | naturalidade | terra natal
    : originally | grew up | born in | raised | hometown | come from | i'm from | im from | nasci em | natural
    de | cresci | sou de ;
body : how tall | height | weigh | weight | shoe size | size | blood type | altura | peso | pesava | pesa |
    calco | tamanho | tipo sanguineo | eye colour
    : cm | kg | kilos | weigh | tall | height | pounds | stone | lost # | size # | blood type | quilos | peso |
    altura | mede | calco | tamanho | tipo sanguineo ;
stack : stack | framework | database | db | language | version | editor | os | server | hostname | repo |
    repository | ci | pipeline | broker | tool | library | deploy | linguagem | versao | banco de dados |
    servidor | repositorio | ferramenta
    : go # | python # | node # | java | rust | python | typescript | javascript | kotlin | postgres | mysql |
    sqlite | mongodb | redis | kafka | nats | rabbitmq | docker | kubernetes | k8s | terraform | aws | gcp |
    azure | react | vue | django | flask | fastapi | rails | spring | ci | github | gitlab | buildkite | jenkins
    | actions | repo | monorepo | vim | neovim | vscode | linux | ubuntu | debian | prod | staging | version |
    upgraded to | migrated | replica | cluster ;
religion : church | religion | mosque | temple | parish | igreja | religiao | missa | paroquia
    : church | mosque | temple | parish | priest | pastor | mass | st. | igreja | missa | paroquia | padre |
    coral da igreja | orthodox | catholic | catolico | catolica | evangelica | halal | kosher | lent ;
event : party | wedding | ceremony | funeral | event | graduation | festa | casamento | evento | formatura |
    guests | convidados
    : party | wedding | ceremony | funeral | graduation | guests | people | anniversary | festa | casamento |
    formatura | convidados | pessoas | salao | celebrate ;
"""
